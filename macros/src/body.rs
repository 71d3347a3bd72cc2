//! The walk through a function body: every `#[receive] match` becomes its code, every loop that waits takes its turn.
//!
//! Nested items are left alone. Closures and `async` blocks are part of the function for receives, but not for
//! loops: their turns, if any, are another future's.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::TokenStreamExt;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Block, Expr, ExprAsync, ExprClosure, ExprMatch, Generics, Item, Local, Macro, Path,
    Stmt,
};

use crate::cfg::{self, Condition};
use crate::fallback::{self, Errors};
use crate::protocol::Anchors;
pub use crate::protocol::{Messages, Written};
use crate::scope::Names;
use crate::spelling::take_misspelt;
use crate::{loops, receive};

/// The body as the last expression of a block. The braces count as generated, so that nobody calls them unnecessary.
pub fn nested(body: &Block) -> TokenStream {
    let mut stmts = TokenStream::new();
    stmts.append_all(&body.stmts);
    let mut group = Group::new(Delimiter::Brace, stmts);
    group.set_span(body.brace_token.span.join().resolved_at(Span::mixed_site()));
    TokenTree::Group(group).into()
}

/// Where the name of the item around a body ends: there its generic parameters would stand. `None` where there are
/// such, or may be, so that no item in the body can name every type.
pub type Bare = Option<Span>;

/// What is at `name`, if an item with these generics has no parameters.
pub fn bare(name: Span, generics: &Generics) -> Bare {
    generics.params.is_empty().then_some(name)
}

/// Rewrites the body of an async function in place.
pub fn rewrite(body: &mut Block, bare: Bare, krate: &Path, errors: &mut Errors) -> Messages {
    rewrite_named(body, bare, krate, Naming::Nowhere, errors)
}

/// Rewrites the body of a struct actor's method in place.
pub fn rewrite_method(body: &mut Block, bare: Bare, krate: &Path, errors: &mut Errors) -> Messages {
    rewrite_named(body, bare, krate, Naming::Outside, errors)
}

/// Rewrites the body of an actor in place. With `anchors` the messages that only the body can name are named there
/// for the protocol.
pub fn rewrite_anchored(
    body: &mut Block,
    bare: Bare,
    krate: &Path,
    anchors: Option<&Anchors>,
    errors: &mut Errors,
) -> Messages {
    let naming = anchors.map_or(Naming::Nowhere, Naming::Anchored);
    rewrite_named(body, bare, krate, naming, errors)
}

/// Where the protocol names the messages of a body.
#[derive(Clone, Copy)]
enum Naming<'e> {
    /// There is none, or it names them itself.
    Nowhere,
    /// In the body, where that declares or imports them.
    Anchored(&'e Anchors),
    /// Outside of it.
    Outside,
}

fn rewrite_named(
    body: &mut Block,
    bare: Bare,
    krate: &Path,
    naming: Naming<'_>,
    errors: &mut Errors,
) -> Messages {
    let mut walk = Walk {
        bare,
        krate,
        naming,
        errors,
        messages: Messages::default(),
        conditions: Vec::new(),
        scopes: Vec::new(),
        foreign: 0,
    };
    walk.visit_block_mut(body);
    walk.messages
}

struct Walk<'e> {
    bare: Bare,
    krate: &'e Path,
    naming: Naming<'e>,
    errors: &'e mut Errors,
    messages: Messages,
    /// The `#[cfg]`s around.
    conditions: Vec<TokenStream>,
    /// What the blocks around declare.
    scopes: Vec<Names>,
    /// How many closures and `async` blocks are around.
    foreign: usize,
}

impl Walk<'_> {
    fn under(&mut self, attrs: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let outside = self.conditions.len();
        self.conditions.extend(cfg::predicates(attrs));
        visit(self);
        self.conditions.truncate(outside);
    }

    fn foreign(&mut self, visit: impl FnOnce(&mut Self)) {
        self.foreign += 1;
        visit(self);
        self.foreign -= 1;
    }

    /// Notes the message types of a receive; what names those that are named in the body comes back.
    fn messages(&mut self, of: &ExprMatch) -> TokenStream {
        let mut anchored = TokenStream::new();
        for (ty, written, conditions) in receive::message_types(of, self.bare, self.krate) {
            let conditions = [self.conditions.as_slice(), &conditions].concat();
            let inside = self.scopes.iter().any(|names| names.may_name(&ty));
            match self.naming {
                Naming::Outside if self.scopes.iter().any(|names| names.declares(&ty)) => {
                    self.errors.at(&ty, "this type is declared in the method, but its messages are the whole actor's: declare it outside of the `impl`");
                }
                Naming::Nowhere | Naming::Outside => self.messages.add(ty, written, &conditions),
                Naming::Anchored(_) if !inside => self.messages.add(ty, written, &conditions),
                Naming::Anchored(anchors) => {
                    let number = self.messages.add_anchored(ty.clone(), &conditions);
                    let condition = Condition::of_all(&conditions);
                    anchored.extend(anchors.anchor(number, &ty, &condition));
                }
            }
        }
        anchored
    }

    fn receive(&mut self, attr: &Attribute, expr: &mut Expr) {
        match expr {
            Expr::Match(of) => {
                let anchored = self.messages(of);
                visit_mut::visit_expr_match_mut(self, of);
                let expanded = receive::expand_match(
                    attr,
                    of.clone(),
                    &anchored,
                    self.bare,
                    self.krate,
                    self.errors,
                );
                *expr = expanded.unwrap_or_else(|| Expr::Verbatim(fallback::diverging()));
            }
            // An `async` block that is to count its loops' turns.
            Expr::Async(of) => {
                let outside = std::mem::take(&mut self.foreign);
                visit_mut::visit_expr_async_mut(self, of);
                self.foreign = outside;
            }
            other => {
                self.errors
                    .at(attr, "`#[receive]` goes on `match receive().await { .. }`");
                visit_mut::visit_expr_mut(self, other);
            }
        }
    }
}

impl VisitMut for Walk<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        self.scopes.push(Names::of(block));
        visit_mut::visit_block_mut(self, block);
        self.scopes.pop();
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Item(_) => {}
            Stmt::Local(local) => self.visit_local_mut(local),
            other => visit_mut::visit_stmt_mut(self, other),
        }
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        if let Some(attr) = take_receive(&mut local.attrs) {
            self.errors.at(attr, "`#[receive]` goes on the `match`: `let .. = #[receive] match receive().await { .. }`");
        }
        let attrs = local.attrs.clone();
        self.under(&attrs, |walk| visit_mut::visit_local_mut(walk, local));
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        pass_inwards(expr);
        let is_match = matches!(expr, Expr::Match(_));
        let receive = attrs(expr).and_then(|attrs| {
            let misspelt = |attrs| take_misspelt(attrs, self.errors);
            take_receive(attrs).or_else(|| is_match.then_some(attrs).and_then(misspelt))
        });
        let attrs = attrs(expr).cloned().unwrap_or_default();
        self.under(&attrs, |walk| match receive {
            Some(receive) => walk.receive(&receive, expr),
            None => {
                let turns = walk.foreign == 0 && loops::waits(expr);
                visit_mut::visit_expr_mut(walk, expr);
                if turns {
                    loops::take_turns(expr, walk.krate);
                }
            }
        });
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        let attrs = arm.attrs.clone();
        self.under(&attrs, |walk| visit_mut::visit_arm_mut(walk, arm));
    }

    fn visit_expr_async_mut(&mut self, of: &mut ExprAsync) {
        self.foreign(|walk| visit_mut::visit_expr_async_mut(walk, of));
    }

    fn visit_expr_closure_mut(&mut self, of: &mut ExprClosure) {
        self.foreign(|walk| visit_mut::visit_expr_closure_mut(walk, of));
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}

    fn visit_macro_mut(&mut self, of: &mut Macro) {
        if let Some(attr) = hidden_receive(of.tokens.clone()) {
            self.errors.at(attr, "a `#[receive] match` can't be read inside a macro call: bind its value with `let` before");
        }
    }
}

/// In `#[receive] match .. { .. }.method()?` the attribute is parsed as the whole expression's.
fn pass_inwards(expr: &mut Expr) {
    let Some(attr) = attrs(expr).and_then(take_receive) else {
        return;
    };
    let target = match innermost(expr) {
        inner @ Expr::Match(_) => inner,
        _ => expr,
    };
    if let Some(attrs) = attrs(target) {
        attrs.push(attr);
    }
}

/// The expression that `expr` begins with.
fn innermost(expr: &mut Expr) -> &mut Expr {
    if head(expr).is_none() {
        return expr;
    }
    head(expr).map(innermost).expect("it has just been seen")
}

fn head(expr: &mut Expr) -> Option<&mut Expr> {
    match expr {
        Expr::Await(of) => Some(&mut of.base),
        Expr::Binary(of) => Some(&mut of.left),
        Expr::Cast(of) => Some(&mut of.expr),
        Expr::Field(of) => Some(&mut of.base),
        Expr::Group(of) => Some(&mut of.expr),
        Expr::MethodCall(of) => Some(&mut of.receiver),
        Expr::Paren(of) => Some(&mut of.expr),
        Expr::Try(of) => Some(&mut of.expr),
        _ => None,
    }
}

pub fn take_receive(attrs: &mut Vec<Attribute>) -> Option<Attribute> {
    let at = attrs.iter().position(is_receive)?;
    Some(attrs.remove(at))
}

/// `#[receive]`, whatever module it is named through.
fn is_receive(attr: &Attribute) -> bool {
    attr.path()
        .segments
        .last()
        .is_some_and(|last| last.ident == "receive")
}

/// The `#` of a `#[receive] match` among tokens that nobody has parsed.
pub fn hidden_receive(tokens: TokenStream) -> Option<TokenTree> {
    let tokens: Vec<_> = tokens.into_iter().collect();
    tokens
        .iter()
        .enumerate()
        .find_map(|(at, token)| match token {
            TokenTree::Group(group) => hidden_receive(group.stream()),
            TokenTree::Punct(hash) if hash.as_char() == '#' => {
                let attr = match tokens.get(at + 1)? {
                    TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => group,
                    _ => return None,
                };
                let path = attr
                    .stream()
                    .into_iter()
                    .take_while(|token| !matches!(token, TokenTree::Group(_)));
                let names_receive =
                    matches!(path.last(), Some(TokenTree::Ident(last)) if last == "receive");
                let on_match =
                    matches!(tokens.get(at + 2), Some(TokenTree::Ident(next)) if next == "match");
                (names_receive && on_match).then(|| token.clone())
            }
            _ => None,
        })
}

macro_rules! attrs_of {
    ($expr:ident: $($variant:ident)*) => {
        match $expr {
            $(Expr::$variant(of) => Some(&mut of.attrs),)*
            _ => None,
        }
    };
}

fn attrs(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    attrs_of!(expr: Array Assign Async Await Binary Block Break Call Cast Closure Const Continue Field ForLoop Group
        If Index Infer Let Lit Loop Macro Match MethodCall Paren Path Range RawAddr Reference Repeat Return Struct Try
        TryBlock Tuple Unary Unsafe While Yield)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::{ToTokens, quote};
    use syn::parse_quote;

    fn rewritten(mut body: Block) -> (String, Vec<String>, Vec<String>) {
        let mut errors = Errors::default();
        let messages = rewrite(&mut body, None, &parse_quote!(::uproar), &mut errors);
        let messages = messages
            .iter()
            .map(|(ty, condition)| quote!(#condition #ty).to_string())
            .collect();
        (
            body.to_token_stream().to_string(),
            messages,
            errors.messages(),
        )
    }

    #[test]
    fn messages_are_found_wherever_a_receive_may_stand() {
        let (code, messages, errors) = rewritten(parse_quote!({
            let x = #[receive]
            match receive().await {
                A(n) => n,
                B | C =>
                {
                    #[uproar::receive]
                    match receive().await {
                        D => 1,
                        _ => 2,
                    }
                }
            };
            async {
                #[receive]
                match receive().await {
                    E => {}
                    A(_) => {}
                }
            };
            #[cfg(unix)]
            #[receive]
            match receive().await {
                F => {}
                #[cfg(test)]
                A(_) => {}
            }
            #[receive]
            match receive().await {
                G => Ok(()),
            }?;
            fn nested() {
                #[receive]
                match receive().await {
                    H => {}
                }
            }
            x
        }));
        assert_eq!(errors, [""; 0]);
        assert_eq!(messages, ["A", "B", "C", "D", "E", "# [cfg (unix)] F", "G"]);
        assert_eq!(code.matches("# [receive]").count(), 1);
    }

    #[test]
    fn misplaced_attributes_are_reported() {
        let (_, _, errors) = rewritten(parse_quote!({
            #[receive]
            let x = match receive().await {
                A(n) => n,
            };
            #[receive]
            loop {}
            println!(
                "{}",
                #[receive]
                match receive().await {
                    A(n) => n,
                }
            );
            #[receive]
            match receive() {
                A(n) => n,
            }
        }));
        assert_eq!(errors.len(), 4, "{errors:#?}");
    }
}
