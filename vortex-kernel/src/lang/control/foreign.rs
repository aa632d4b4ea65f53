//! Names of other GPU languages in a body: `CUBE_DIM`, `atomicAdd`.

/// What a name refers to that is another language's and nothing of the user's: nothing that a kernel has.
#[derive(Clone, Copy, Debug)]
pub struct NoSuchName;

/// What a name refers to that is the user's.
#[derive(Clone, Copy, Debug)]
pub struct NameOfUser<T>(pub T);
