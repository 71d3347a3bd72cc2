use uproar::prelude::*;
enum Wanted<T: Send + 'static> {
    Value(Typed<T>),
    #[cfg(unix)]
    Signal(Signal),
    Down(Down),
}
#[automatically_derived]
impl<T: Send + 'static> ::uproar::__private::Receivable for Wanted<T> {
    const WANTS: ::uproar::__private::Wants = {
        #[cfg(unix)]
        #[allow(dead_code)]
        type __UproarM1 = Signal;
        #[allow(dead_code)]
        type __UproarM2 = Down;
        ::uproar::__private::Wants::Types(
            &[
                ::core::any::TypeId::of::<T>(),
                #[cfg(unix)]
                ::core::any::TypeId::of::<__UproarM1>(),
                ::core::any::TypeId::of::<__UproarM2>(),
            ],
        )
    };
    #[allow(unused_variables)]
    fn take(slot: &mut ::uproar::__private::Slot) -> ::core::option::Option<Self> {
        #[cfg(unix)]
        #[allow(dead_code)]
        type __UproarM1 = Signal;
        #[allow(dead_code)]
        type __UproarM2 = Down;
        if let ::core::option::Option::Some(message) = ::uproar::__private::Slot::take_if::<
            T,
            _,
        >(slot, ::core::result::Result::Ok) {
            return ::core::option::Option::Some(Self::Value(Typed(message)));
        }
        #[cfg(unix)]
        if let ::core::option::Option::Some(message) = ::uproar::__private::Slot::take_if::<
            __UproarM1,
            _,
        >(slot, ::core::result::Result::Ok) {
            return ::core::option::Option::Some(Self::Signal(message));
        }
        if let ::core::option::Option::Some(message) = ::uproar::__private::Slot::take_if::<
            __UproarM2,
            _,
        >(slot, ::core::result::Result::Ok) {
            return ::core::option::Option::Some(Self::Down(message));
        }
        ::core::option::Option::None
    }
}
#[allow(non_local_definitions)]
const _: () = {
    #[cfg(unix)]
    type __UproarM1 = Signal;
    type __UproarM2 = Down;
    #[cfg(unix)]
    trait If1<
        T: Send + 'static,
    >: ::uproar::__private::Include<
            __UproarM1,
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
        > {}
    #[cfg(not(unix))]
    trait If1<T: Send + 'static> {}
    trait MessagesOfWanted<
        T: Send + 'static,
    >: ::uproar::__private::Include<
            T,
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
        > + If1<
            T,
        > + ::uproar::__private::Include<
            __UproarM2,
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
        > + ::uproar::__private::Include<
            ::uproar::__private::Nothing,
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
        > + ::uproar::__private::Include<
            ::uproar::__private::OthersUnderCfg,
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
        > {}
    #[automatically_derived]
    #[doc(hidden)]
    impl<ItsMessage, T: Send + 'static> ::uproar::Receives<ItsMessage> for Wanted<T>
    where
        dyn MessagesOfWanted<
            T,
        >: ::uproar::__private::Include<
            ItsMessage,
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
        >,
    {}
};
