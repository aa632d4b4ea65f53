//! Lists of tuples, for what holds for tuples, and for functions, of each size.

/// Calls a macro with what it is given here, and then a list of up to 6, 8 or 12 parts, each with a name for a value:
/// `(A a) (A a, B b)` and so on.
macro_rules! up_to {
    (6, $make:ident! { $($given:tt)* }) => {
        $make! {
            $($given)*
            (A a)
            (A a, B b)
            (A a, B b, C c)
            (A a, B b, C c, D d)
            (A a, B b, C c, D d, E e)
            (A a, B b, C c, D d, E e, F f)
        }
    };
    (8, $make:ident! { $($given:tt)* }) => {
        $crate::lang::base::tuples::up_to! {
            6,
            $make! {
                $($given)*
                (A a, B b, C c, D d, E e, F f, G g)
                (A a, B b, C c, D d, E e, F f, G g, H h)
            }
        }
    };
    (12, $make:ident! { $($given:tt)* }) => {
        $crate::lang::base::tuples::up_to! {
            8,
            $make! {
                $($given)*
                (A a, B b, C c, D d, E e, F f, G g, H h, I i)
                (A a, B b, C c, D d, E e, F f, G g, H h, I i, J j)
                (A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k)
                (A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l)
            }
        }
    };
}
pub(in crate::lang) use up_to;
