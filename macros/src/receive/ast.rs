//! A `#[receive] match` as a tree of its own.

use proc_macro2::Span;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprMatch, ExprPath, Meta, Pat, Path, Token};

use super::binding::{self, Binding};
use super::pattern::{self, Accepts};
use crate::fallback::Errors;
use crate::options;

/// A `#[receive] match receive().await { .. }`.
pub struct Receive {
    /// The user's other attributes.
    pub attrs: Vec<Attribute>,
    pub match_token: Token![match],
    /// The `receive` in `receive().await`.
    pub function: ExprPath,
    pub await_span: Span,
    pub timeout: Option<Expr>,
    pub arms: Vec<Arm>,
}

pub struct Arm {
    pub attrs: Vec<Attribute>,
    /// The pattern as it was written, for errors.
    pub written: Pat,
    pub accepts: Accepts,
    pub guard: Option<Guard>,
    pub bindings: Vec<Binding>,
    pub fat_arrow: Token![=>],
    pub body: Expr,
}

pub struct Guard {
    pub if_token: Token![if],
    pub condition: Expr,
}

impl Receive {
    /// `None` after an error that makes the rest meaningless.
    pub fn parse(
        attr: &Attribute,
        of: ExprMatch,
        krate: &Path,
        errors: &mut Errors,
    ) -> Option<Self> {
        let timeout = timeout(attr, errors);
        let (function, await_span) = call(&of.expr)
            .map_err(|message| errors.at(&of.expr, message))
            .ok()?;
        if of.arms.is_empty() {
            errors.at(
                of.match_token,
                "this receives nothing: it needs at least one arm",
            );
        }
        let arms = of
            .arms
            .into_iter()
            .filter_map(|arm| Arm::parse(arm, krate, errors))
            .collect();
        Some(Self {
            attrs: of.attrs,
            match_token: of.match_token,
            function,
            await_span,
            timeout: timeout.ok()?,
            arms,
        })
    }
}

impl Arm {
    fn parse(arm: syn::Arm, krate: &Path, errors: &mut Errors) -> Option<Self> {
        let (written, mut guard) = match arm.pat {
            Pat::Guard(guarded) => {
                let guard = Guard {
                    if_token: guarded.if_token,
                    condition: *guarded.guard,
                };
                (*guarded.pat, Some(guard))
            }
            pat => (pat, None),
        };
        let mut accepts = pattern::accepts(written.clone(), krate, errors)?;
        let bindings = binding::bindings(
            &mut accepts,
            guard.as_mut().map(|guard| &mut guard.condition),
            &arm.body,
            errors,
        );
        Some(Self {
            attrs: arm.attrs,
            written,
            accepts,
            guard,
            bindings,
            fat_arrow: arm.fat_arrow_token,
            body: *arm.body,
        })
    }

    /// Whether it is in several matchers, which must agree on the types of its variables.
    pub fn binds_in_several_types(&self) -> bool {
        !self.bindings.is_empty()
            && matches!(&self.accepts, Accepts::Messages(alternatives) if alternatives.len() > 1)
    }
}

/// `EXPR` of `#[receive(timeout = EXPR)]`.
fn timeout(attr: &Attribute, errors: &mut Errors) -> Result<Option<Expr>, ()> {
    let mut timeout = None;
    let parser = |input: ParseStream| {
        options::each(input, |name, input| {
            if name != "timeout" {
                return Err(options::unknown(
                    name,
                    "on a `match`, `#[receive]` takes `timeout = ..`",
                ));
            }
            timeout = Some(options::value(name, input)?);
            Ok(())
        })
    };
    let read = match &attr.meta {
        Meta::Path(_) => Ok(()),
        _ => attr.parse_args_with(parser),
    };
    read.map_err(|error| errors.push(error))?;
    Ok(timeout)
}

/// The `receive` and the place of the `await` in `receive().await`; or what to write instead.
fn call(mut scrutinee: &Expr) -> Result<(ExprPath, Span), &'static str> {
    const OTHER: &str = "`#[receive]` goes on `match receive().await { .. }`";
    loop {
        scrutinee = match scrutinee {
            Expr::Group(group) => &group.expr,
            Expr::Paren(paren) => &paren.expr,
            _ => break,
        };
    }
    let (call, awaited) = match scrutinee {
        Expr::Await(awaited) => (&*awaited.base, Some(awaited.await_token)),
        other => (other, None),
    };
    let call = match call {
        Expr::Call(call) => call,
        Expr::MethodCall(of) if of.method == "timeout" => {
            return Err(
                "the time is an option: write `#[receive(timeout = ..)]` and `match receive().await { .. }`",
            );
        }
        _ => return Err(OTHER),
    };
    let Expr::Path(function) = &*call.func else {
        return Err(OTHER);
    };
    match function.path.segments.last() {
        Some(last) if last.ident == "receive" => {
            if !last.arguments.is_none() || !call.args.is_empty() {
                return Err("the arms say what is received: write `match receive().await { .. }`");
            }
        }
        _ => return Err(OTHER),
    }
    let awaited = awaited.ok_or("a receive waits: write `match receive().await { .. }`")?;
    Ok((function.clone(), awaited.span()))
}
