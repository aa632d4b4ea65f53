//! Reads the text form that [`super::print`] writes.
//!
//! The parser checks syntax only; types, scopes and arities are the verifier's. Text may come from anywhere: every
//! failure is a [`ParseError`], and nesting and numbers are limited so that hostile text costs neither stack nor
//! memory.

mod ops;

use super::lexer::{Lexer, Parse, Token};
pub use super::parse_error::MAX_NESTING;
use super::parse_error::{ParseError, Problem};
use super::{
    Arm, Block, DataObject, EntityRef, Function, Inst, Loc, MemoryObject, Message, Op, Param,
    Render, Results, SecondaryMap, SourceLoc, Space, Stream, Type, Value, While,
};

/// Reads one function.
///
/// # Errors
/// The first place at which the text is not of the form [`super::print`] describes.
pub fn parse(text: &str) -> Result<Function, ParseError> {
    let mut parser = Parser::new(text)?;
    let function = parser.function()?;
    if parser.lex.token != Token::End {
        return Err(parser.lex.expected("the end of the text"));
    }
    Ok(function)
}

pub(super) struct Parser<'a> {
    pub(super) lex: Lexer<'a>,
    depth: u32,
    function: Function,
    defined: SecondaryMap<Value, bool>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parse<Self> {
        let mut parser = Self {
            lex: Lexer::new(text)?,
            depth: 0,
            function: Function::default(),
            defined: SecondaryMap::new(),
        };
        parser.function.locs.push(SourceLoc {
            file: String::new(),
            line: 0,
            column: 0,
        });
        Ok(parser)
    }

    fn ty(&mut self) -> Parse<Type> {
        let ty = self.lex.named("a type", |word| match word {
            "bool" => Some(Type::Bool),
            "i8" => Some(Type::I8),
            "i16" => Some(Type::I16),
            "i32" => Some(Type::I32),
            "u8" => Some(Type::U8),
            "u16" => Some(Type::U16),
            "u32" => Some(Type::U32),
            "i64" => Some(Type::I64),
            "f16" => Some(Type::F16),
            "bf16" => Some(Type::BF16),
            "u64" => Some(Type::U64),
            "f32" => Some(Type::F32),
            "ptr" => Some(Type::Ptr(Space::Global)),
            _ => None,
        })?;
        if !matches!(ty, Type::Ptr(_)) {
            return Ok(ty);
        }
        self.lex.mark('<', "`<`")?;
        let space = self.lex.named("a memory space", Space::from_word)?;
        self.lex.mark('>', "`>`")?;
        Ok(Type::Ptr(space))
    }

    /// `v3: u32`, where it is defined.
    fn definition(&mut self) -> Parse<Value> {
        let at = self.lex.token_at;
        let value = self.lex.value()?;
        self.lex.mark(':', "`:`")?;
        let ty = self.ty()?;
        if std::mem::replace(&mut self.defined[value], true) {
            self.lex.token_at = at;
            return Err(self.lex.error(Problem::Numbering(value.to_string())));
        }
        let types = &mut self.function.values;
        while !types.is_valid(value) {
            // Numbers that stay undefined need some type.
            types.push(Type::Bool);
        }
        types[value] = ty;
        Ok(value)
    }

    fn function(&mut self) -> Parse<Function> {
        self.lex.keyword("kernel")?;
        self.function.name = self.lex.string("the kernel's name in quotes")?;
        self.lex.mark('(', "`(`")?;
        while !self.lex.is(')') {
            let value = self.definition()?;
            let name = self.lex.string("the parameter's name in quotes")?;
            self.lex.keyword("arg")?;
            let arg = self.lex.unsigned("an argument number")?;
            self.lex.keyword("at")?;
            let offset = self.lex.unsigned("an offset")?;
            self.function.params.push(Param {
                value,
                name,
                arg,
                offset,
            });
            if !self.lex.eat(',')? {
                break;
            }
        }
        self.lex.mark(')', "`)`")?;
        self.lex.keyword("args")?;
        self.function.args_size = self.lex.unsigned("the size of the arguments")?;
        self.lex.mark('{', "`{`")?;
        self.declarations()?;
        self.function.body = self.block()?;
        self.lex.mark('}', "an instruction or `}`")?;
        Ok(std::mem::take(&mut self.function))
    }

    fn declarations(&mut self) -> Parse<()> {
        loop {
            if self.lex.eat_word("loc")? {
                let (at, loc) = (self.lex.token_at, self.loc()?);
                if loc.index() != self.function.locs.len() {
                    self.lex.token_at = at;
                    return Err(self.lex.error(Problem::Numbering(loc.to_string())));
                }
                let file = self.lex.string("a file name in quotes")?;
                self.lex.mark(':', "`:`")?;
                let line = self.lex.unsigned("a line")?;
                self.lex.mark(':', "`:`")?;
                let column = self.lex.unsigned("a column")?;
                self.function.locs.push(SourceLoc { file, line, column });
            } else if self.lex.eat_word("var")? {
                let (at, var) = (self.lex.token_at, self.lex.var()?);
                if var.index() != self.function.vars.len() {
                    self.lex.token_at = at;
                    return Err(self.lex.error(Problem::Numbering(var.to_string())));
                }
                self.lex.mark(':', "`:`")?;
                let ty = self.ty()?;
                self.function.vars.push(ty);
            } else if self.lex.eat_word("message")? {
                let at = self.lex.token_at;
                let id = self.lex.message()?;
                if id.index() != self.function.messages.len() {
                    self.lex.token_at = at;
                    return Err(self.lex.error(Problem::Numbering(id.to_string())));
                }
                let text = self.lex.string("the message's text in quotes")?;
                self.lex.keyword("words")?;
                let words = self.lex.unsigned("a number of words")?;
                let stream = self.lex.named("a stream", Stream::from_word)?;
                let render = Render::verbatim(&text);
                self.function.messages.push(Message {
                    text,
                    stream,
                    words,
                    render,
                });
            } else if self.lex.eat_word("local")? {
                let (at, id) = (self.lex.token_at, self.lex.local()?);
                if id.index() != self.function.locals.len() {
                    self.lex.token_at = at;
                    return Err(self.lex.error(Problem::Numbering(id.to_string())));
                }
                let object = self.object()?;
                self.function.locals.push(object);
            } else if self.lex.eat_word("private")? {
                let (at, id) = (self.lex.token_at, self.lex.private()?);
                if id.index() != self.function.privates.len() {
                    self.lex.token_at = at;
                    return Err(self.lex.error(Problem::Numbering(id.to_string())));
                }
                let object = self.object()?;
                self.function.privates.push(object);
            } else if self.lex.eat_word("data")? {
                let (at, id) = (self.lex.token_at, self.lex.data()?);
                if id.index() != self.function.data.len() {
                    self.lex.token_at = at;
                    return Err(self.lex.error(Problem::Numbering(id.to_string())));
                }
                self.lex.keyword("align")?;
                let align = self.lex.unsigned("an alignment in bytes")?;
                self.lex.mark('[', "`[`")?;
                let mut bytes = Vec::new();
                while !self.lex.eat(']')? {
                    let at = self.lex.token_at;
                    let byte: u32 = self.lex.unsigned("a byte or `]`")?;
                    let Ok(byte) = u8::try_from(byte) else {
                        self.lex.token_at = at;
                        return Err(self.lex.expected("a byte"));
                    };
                    bytes.push(byte);
                }
                self.function.data.push(DataObject { bytes, align });
            } else {
                return Ok(());
            }
        }
    }

    /// `"[f32; 4]" size 16 align 4 @1`.
    fn object(&mut self) -> Parse<MemoryObject> {
        let name = self.lex.string("the object's type in quotes")?;
        self.lex.keyword("size")?;
        let size = self.lex.unsigned("a size in bytes")?;
        let count = match self.lex.eat_word("x")? {
            true => Some(self.lex.value()?),
            false => None,
        };
        self.lex.keyword("align")?;
        let align = self.lex.unsigned("an alignment in bytes")?;
        let agreed = self.lex.eat_word("agreed")?;
        let loc = self.loc()?;
        Ok(MemoryObject {
            size,
            count,
            align,
            agreed,
            name,
            loc,
        })
    }

    /// `@3`; nothing stands for [`Loc::NONE`].
    fn loc(&mut self) -> Parse<Loc> {
        if self.lex.eat('@')? {
            Ok(Loc::from_bits(self.lex.unsigned("a location number")?))
        } else {
            Ok(Loc::NONE)
        }
    }

    fn block(&mut self) -> Parse<Block> {
        if self.depth == MAX_NESTING {
            return Err(self.lex.error(Problem::TooDeep));
        }
        self.depth += 1;
        let mut insts = Vec::new();
        while let Token::Word(word) = self.lex.token {
            if matches!(word, "yield" | "test" | "next") {
                break;
            }
            insts.push(self.inst()?);
        }
        self.depth -= 1;
        Ok(Block { insts })
    }

    fn is_value(&self) -> bool {
        let Token::Word(word) = self.lex.token else {
            return false;
        };
        word.strip_prefix('v')
            .is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
    }

    fn inst(&mut self) -> Parse<Inst> {
        let mut results = Results::new();
        if self.is_value() {
            results.push(self.definition()?);
            while self.lex.eat(',')? {
                results.push(self.definition()?);
            }
            self.lex.mark('=', "`=`")?;
        }
        let at = self.lex.token_at;
        let word = self.lex.word("an operation")?;
        if let Some((op, loc)) = self.nested(word)? {
            return Ok(Inst { results, op, loc });
        }
        let result = results.first().map(|v: &Value| self.function.ty(*v));
        let Some(op) = self.operation(word, result)? else {
            (self.lex.token, self.lex.token_at) = (Token::Word(word), at);
            return Err(self.lex.expected("an operation"));
        };
        let loc = self.loc()?;
        Ok(Inst { results, op, loc })
    }

    /// Operations that hold blocks; their location stands before the first `{`.
    fn nested(&mut self, word: &str) -> Parse<Option<(Op, Loc)>> {
        Ok(Some(match word {
            "if" => {
                let cond = self.lex.value()?;
                let loc = self.loc()?;
                let then = self.arm()?;
                let els = if self.lex.eat_word("else")? {
                    self.arm()?
                } else {
                    Arm::default()
                };
                (Op::branch(cond, then, els), loc)
            }
            "while" => self.while_()?,
            "loop" => {
                let label = self.lex.label()?;
                let loc = self.loc()?;
                let body = self.braced()?;
                let step = if self.lex.eat_word("step")? {
                    self.braced()?
                } else {
                    Block::default()
                };
                (Op::Loop { label, body, step }, loc)
            }
            "scope" => {
                let label = self.lex.label()?;
                let loc = self.loc()?;
                let body = self.braced()?;
                (Op::Scope { label, body }, loc)
            }
            _ => return Ok(None),
        }))
    }

    fn braced(&mut self) -> Parse<Block> {
        self.lex.mark('{', "`{`")?;
        let block = self.block()?;
        self.lex.mark('}', "an instruction or `}`")?;
        Ok(block)
    }

    /// `{ .. }`, or `fallback { .. }`.
    fn arm(&mut self) -> Parse<Arm> {
        let is_fallback = self.lex.eat_word("fallback")?;
        self.lex.mark('{', "`{`")?;
        let block = self.block()?;
        let yields = self.list("yield")?;
        self.lex.mark('}', "an instruction, `yield` or `}`")?;
        Ok(Arm {
            block,
            yields,
            is_fallback,
        })
    }

    /// `word v1, v2`, or nothing.
    fn list(&mut self, word: &str) -> Parse<Vec<Value>> {
        let mut values = Vec::new();
        if self.lex.eat_word(word)? {
            values.push(self.lex.value()?);
            while self.lex.eat(',')? {
                values.push(self.lex.value()?);
            }
        }
        Ok(values)
    }

    fn while_(&mut self) -> Parse<(Op, Loc)> {
        let optional = self.lex.eat_word("optional")?;
        self.lex.mark('(', "`(`")?;
        let (mut params, mut init) = (Vec::new(), Vec::new());
        while !self.lex.is(')') {
            params.push(self.definition()?);
            self.lex.mark('=', "`=`")?;
            init.push(self.lex.value()?);
            if !self.lex.eat(',')? {
                break;
            }
        }
        self.lex.mark(')', "`)`")?;
        let loc = self.loc()?;
        self.lex.mark('{', "`{`")?;
        let before = self.block()?;
        self.lex.keyword("test")?;
        let cond = self.lex.value()?;
        let exits = self.list("exit")?;
        let after = self.block()?;
        let next = self.list("next")?;
        self.lex.mark('}', "an instruction, `next` or `}`")?;
        let inner = While {
            params,
            init,
            before,
            cond,
            exits,
            after,
            next,
            optional,
        };
        Ok((Op::While(Box::new(inner)), loc))
    }
}
