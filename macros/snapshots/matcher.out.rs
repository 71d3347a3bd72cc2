use uproar::prelude::*;
async fn reply(wanted: u64) -> Result<String, &'static str> {
    {
        type __UproarM0 = Reply;
        type __UproarM1 = Command;
        #[allow(dead_code, clippy::allow_attributes)]
        enum __UproarArm<A0B0, A0B1, A2B0, A3B0, A4B0> {
            A0(A0B0, A0B1),
            A1,
            A2(A2B0),
            A3(A3B0),
            A4(A4B0),
            A5,
        }
        #[allow(clippy::result_large_err)]
        let arm = {
            #[allow(dead_code, non_camel_case_types, clippy::allow_attributes)]
            type Reply = __UproarM0;
            #[allow(dead_code, non_camel_case_types, clippy::allow_attributes)]
            type Command = __UproarM1;
            let _ = receive::<::uproar::Envelope>;
            let _ = Typed::<()>;
            let _ = ::core::marker::PhantomData::<Timeout>;
            let mut scan = ::uproar::__private::Scan::with_timeout(
                ::uproar::__private::Wants::Any,
                Duration::from_secs(5),
            );
            loop {
                match ::uproar::__private::Scan::step(
                    &mut scan,
                    |slot| {
                        if let ::core::option::Option::Some(arm) = ::uproar::__private::Slot::take_if(
                            slot,
                            |message: __UproarM0| match message {
                                Reply { id, body } if id == wanted => {
                                    ::core::result::Result::Ok(__UproarArm::A0(id, body))
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
                                Command::Stop => ::core::result::Result::Ok(__UproarArm::A1),
                                Command::Say(text) => {
                                    ::core::result::Result::Ok(
                                        __UproarArm::A2(::uproar::__private::Whole::new(text)),
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
                            |message: String| match message {
                                text => {
                                    ::core::result::Result::Ok(
                                        __UproarArm::A3(::uproar::__private::Whole::new(text)),
                                    )
                                }
                                #[allow(unreachable_patterns)]
                                message => ::core::result::Result::Err(message),
                            },
                        ) {
                            return ::core::option::Option::Some(arm);
                        }
                        if let ::core::option::Option::Some(arm) = ::uproar::__private::Slot::take_any_if(
                            slot,
                            |message| match message {
                                other => {
                                    ::core::result::Result::Ok(
                                        __UproarArm::A4(::uproar::__private::Whole::new(other)),
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
                    ::uproar::__private::Step::TimedOut => break __UproarArm::A5,
                    ::uproar::__private::Step::Wait => {}
                }
                ::uproar::__private::Scan::wait(&mut scan).await;
            }
        };
        match arm {
            __UproarArm::A0 { .. } => {
                #[allow(irrefutable_let_patterns)]
                let __UproarArm::A0 { #[allow(unused_variables)] 0: id, 1: body } = ({
                    arm
                }) else { ::core::unreachable!() };
                Ok(body)
            }
            __UproarArm::A1 => Err("stopped"),
            __UproarArm::A2 { .. } => {
                #[allow(irrefutable_let_patterns)]
                let __UproarArm::A2(whole) = ({ arm }) else { ::core::unreachable!() };
                let text = ::uproar::__private::Whole::into_inner(whole);
                Ok(text)
            }
            __UproarArm::A3 { .. } => {
                #[allow(irrefutable_let_patterns)]
                let __UproarArm::A3(whole) = ({ arm }) else { ::core::unreachable!() };
                let text = ::uproar::__private::Whole::into_inner(whole);
                Ok(text)
            }
            __UproarArm::A4 { .. } => {
                #[allow(irrefutable_let_patterns)]
                let __UproarArm::A4(whole) = ({ arm }) else { ::core::unreachable!() };
                let other = ::uproar::__private::Whole::into_inner(whole);
                Err(other.type_name())
            }
            __UproarArm::A5 => Err("too late"),
        }
    }
}
