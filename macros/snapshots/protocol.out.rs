use uproar::prelude::*;
enum Wanted<T: Send + 'static> {
    Value(Typed<T>),
    #[cfg(unix)]
    Signal(Signal),
    Down(Down),
}
#[automatically_derived]
impl<T: Send + 'static> ::uproar::__private::Receivable for Wanted<T> {
    const WANTS: ::uproar::__private::Wants = ::uproar::__private::Wants::Types(
        &[
            ::core::any::TypeId::of::<T>(),
            #[cfg(unix)]
            ::core::any::TypeId::of::<Signal>(),
            ::core::any::TypeId::of::<Down>(),
        ],
    );
    #[allow(unused_variables)]
    fn take(slot: &mut ::uproar::__private::Slot) -> ::core::option::Option<Self> {
        if let ::core::option::Option::Some(message) = ::uproar::__private::Slot::take_if::<
            T,
            _,
        >(slot, ::core::result::Result::Ok) {
            return ::core::option::Option::Some(Self::Value(Typed(message)));
        }
        #[cfg(unix)]
        if let ::core::option::Option::Some(message) = ::uproar::__private::Slot::take_if::<
            Signal,
            _,
        >(slot, ::core::result::Result::Ok) {
            return ::core::option::Option::Some(Self::Signal(message));
        }
        if let ::core::option::Option::Some(message) = ::uproar::__private::Slot::take_if::<
            Down,
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
    >: ::uproar::__private::Accepts<
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
            __UproarM1,
        > {}
    #[cfg(not(unix))]
    trait If1<T: Send + 'static> {}
    trait Messages<
        T: Send + 'static,
    >: ::uproar::__private::Accepts<
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
            T,
        > + If1<
            T,
        > + ::uproar::__private::Accepts<
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
            __UproarM2,
        > + ::uproar::__private::Accepts<
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
            ::uproar::__private::Nothing,
        > + ::uproar::__private::Accepts<
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
            ::uproar::__private::OthersUnderCfg,
        > {}
    #[automatically_derived]
    #[doc(hidden)]
    impl<T: Send + 'static, ItsMessage> ::uproar::Receives<ItsMessage> for Wanted<T>
    where
        dyn Messages<
            T,
        >: ::uproar::__private::Accepts<
            Wanted<T>,
            (T, __UproarM2, ::uproar::__private::OthersUnderCfg),
            ItsMessage,
        >,
    {}
};
