use uproar::prelude::*;
struct Add(u64);
struct Get(ReplyTo<u64>);
///The protocol of [`counter`](fn@counter): the messages it receives.
///
///* `Add`
///* `Get`
#[allow(
    dead_code,
    unreachable_pub,
    missing_debug_implementations,
    missing_copy_implementations
)]
struct Counter {
    __protocol: ::core::marker::PhantomData<()>,
}
#[allow(non_local_definitions)]
const _: () = {
    type __UproarM0 = Add;
    type __UproarM1 = Get;
    type List = (__UproarM0, __UproarM1);
    trait MessagesOfCounter: ::uproar::__private::Include<
            __UproarM0,
            Counter,
            List,
        > + ::uproar::__private::Include<
            __UproarM1,
            Counter,
            List,
        > + ::uproar::__private::Include<
            ::uproar::__private::Nothing,
            Counter,
            List,
        > + ::uproar::__private::Include<
            ::uproar::__private::OthersUnderCfg,
            Counter,
            List,
        > {}
    #[automatically_derived]
    #[doc(hidden)]
    impl<ItsMessage> ::uproar::Receives<ItsMessage> for Counter
    where
        dyn MessagesOfCounter: ::uproar::__private::Include<ItsMessage, Counter, List>,
    {}
};
fn counter(
    total: u64,
) -> ::uproar::ActorFn<
    Counter,
    impl ::core::future::Future<Output = ()> + ::core::marker::Send + 'static,
> {
    ::uproar::ActorFn::new(async move {
        #[allow(
            unreachable_code,
            clippy::diverging_sub_expression,
            clippy::empty_loop,
            clippy::let_unit_value,
            clippy::needless_return,
            clippy::unreachable,
            clippy::unused_unit,
        )]
        if false {
            let output: () = loop {};
            return output;
        }
        let mut total = total;
        {
            loop {
                ::uproar::__private::turn().await;
                {
                    type __UproarM0 = Add;
                    type __UproarM1 = Get;
                    #[allow(deprecated, unused_variables, clippy::allow_attributes)]
                    const _: () = {
                        const FITS: usize = {
                            let _ = |message: &__UproarM0| {
                                let __UproarM0 { 0: _, .. } = message;
                            };
                            0
                        };
                        type __UproarWhole = <::uproar::__private::Fits<
                            __UproarM0,
                            FITS,
                        > as ::uproar::__private::Known>::Type;
                        let _ = |message: &__UproarWhole| {
                            let __UproarWhole { 0: _ } = message;
                        };
                    };
                    #[allow(deprecated, unused_variables, clippy::allow_attributes)]
                    const _: () = {
                        const FITS: usize = {
                            let _ = |message: &__UproarM1| {
                                let __UproarM1 { 0: _, .. } = message;
                            };
                            0
                        };
                        type __UproarWhole = <::uproar::__private::Fits<
                            __UproarM1,
                            FITS,
                        > as ::uproar::__private::Known>::Type;
                        let _ = |message: &__UproarWhole| {
                            let __UproarWhole { 0: _ } = message;
                        };
                    };
                    #[allow(dead_code, clippy::allow_attributes)]
                    enum __UproarArm<A0B0, A1B0> {
                        A0(A0B0),
                        A1(A1B0),
                    }
                    #[allow(clippy::result_large_err)]
                    let arm = {
                        #[allow(
                            dead_code,
                            non_camel_case_types,
                            clippy::allow_attributes
                        )]
                        type Add = __UproarM0;
                        #[allow(
                            dead_code,
                            non_camel_case_types,
                            clippy::allow_attributes
                        )]
                        type Get = __UproarM1;
                        let _ = receive::<::uproar::Envelope>;
                        let mut scan = ::uproar::__private::Scan::new(const {
                            const fn id<T: 'static>(_: *const T) -> ::core::any::TypeId {
                                ::core::any::TypeId::of::<T>()
                            }
                            ::uproar::__private::Wants::Types(
                                &[
                                    {
                                        let message: *const __UproarM0 = ::core::ptr::null();
                                        id(message)
                                    },
                                    {
                                        let message: *const __UproarM1 = ::core::ptr::null();
                                        id(message)
                                    },
                                ],
                            )
                        });
                        loop {
                            match ::uproar::__private::Scan::step(
                                &mut scan,
                                |slot| {
                                    if let ::core::option::Option::Some(arm) = ::uproar::__private::Slot::take_if(
                                        slot,
                                        |message: __UproarM0| match message {
                                            Add { 0: n, .. } => {
                                                ::core::result::Result::Ok(
                                                    __UproarArm::A0(::uproar::__private::Whole::new(n)),
                                                )
                                            }
                                            #[allow(unreachable_patterns)]
                                            message => ::core::result::Result::Err(message),
                                        },
                                    ) {
                                        return ::core::option::Option::Some(arm);
                                    }
                                    if let ::core::option::Option::Some(arm) = ::uproar::__private::Slot::take_if(
                                        slot,
                                        |message: __UproarM1| match message {
                                            Get { 0: reply_to, .. } => {
                                                ::core::result::Result::Ok(
                                                    __UproarArm::A1(::uproar::__private::Whole::new(reply_to)),
                                                )
                                            }
                                            #[allow(unreachable_patterns)]
                                            message => ::core::result::Result::Err(message),
                                        },
                                    ) {
                                        return ::core::option::Option::Some(arm);
                                    }
                                    ::core::option::Option::None
                                },
                            ) {
                                ::uproar::__private::Step::Taken(arm) => break arm,
                                ::uproar::__private::Step::TimedOut
                                | ::uproar::__private::Step::Wait => {}
                            }
                            ::uproar::__private::Scan::wait(&mut scan).await;
                        }
                    };
                    match arm {
                        __UproarArm::A0 { .. } => {
                            #[allow(irrefutable_let_patterns)]
                            let __UproarArm::A0(whole) = ({ arm }) else {
                                ::core::unreachable!()
                            };
                            let n = ::uproar::__private::Whole::into_inner(whole);
                            total += n;
                        }
                        __UproarArm::A1 { .. } => {
                            #[allow(irrefutable_let_patterns)]
                            let __UproarArm::A1(whole) = ({ arm }) else {
                                ::core::unreachable!()
                            };
                            let reply_to = ::uproar::__private::Whole::into_inner(whole);
                            reply_to.send(total)
                        }
                    }
                }
            }
        }
    })
}
