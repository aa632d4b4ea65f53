//! Operations, with their operands.

use super::{Parser, Problem};
use crate::ir::lexer::{Parse, Token};
use crate::ir::{
    Alias, AtomicOp, BinOp, CmpOp, Const, DataId, LocalId, Op, Order, PrivateId, Scope, Type, UnOp,
    Value, WarpOp,
};

impl Parser<'_> {
    pub(super) fn operation(&mut self, word: &str, result: Option<Type>) -> Parse<Option<Op>> {
        if let Some(op) = UnOp::from_word(word) {
            return Ok(Some(Op::Unary(op, self.lex.value()?)));
        }
        if let Some(op) = BinOp::from_word(word) {
            let (a, b) = self.pair()?;
            return Ok(Some(Op::Binary(op, a, b)));
        }
        if let Some(op) = CmpOp::from_word(word) {
            let (a, b) = self.pair()?;
            return Ok(Some(Op::Compare(op, a, b)));
        }
        Ok(Some(match word {
            "const" => Op::Const(self.constant(result.unwrap_or(Type::U32))?),
            "ptradd" => {
                let (base, index) = self.pair()?;
                self.lex.mark('*', "`*`")?;
                let scale = self.lex.unsigned("a scale")?;
                Op::PtrAdd { base, index, scale }
            }
            "load" => {
                let (ptr, offset) = self.address()?;
                let alias = self.alias()?;
                Op::Load { ptr, offset, alias }
            }
            "store" => {
                let (ptr, offset) = self.address()?;
                self.lex.comma()?;
                let value = self.lex.value()?;
                let alias = self.alias()?;
                Op::Store {
                    ptr,
                    value,
                    offset,
                    alias,
                }
            }
            "atomic" => self.atomic()?,
            "warp" => self.warp()?,
            "record" => {
                let site = self.lex.numbered('s', "a site")?;
                self.lex.comma()?;
                let item = self.lex.value()?;
                let mut operands = Vec::new();
                while self.lex.eat(',')? {
                    operands.push(self.lex.value()?);
                }
                Op::Record {
                    site,
                    item,
                    operands,
                }
            }
            _ => return Op::read_plain(word, &mut self.lex),
        }))
    }

    fn atomic(&mut self) -> Parse<Op> {
        let op = self.lex.named("an atomic operation", AtomicOp::from_word)?;
        let (ptr, offset) = self.address()?;
        let mut operands = Vec::new();
        while self.lex.eat(',')? {
            operands.push(self.lex.value()?);
        }
        Ok(Op::Atomic {
            op,
            ptr,
            offset,
            operands,
            alias: self.alias()?,
            order: self.lex.named("a memory order", Order::from_word)?,
            scope: self.lex.named("`group` or `device`", Scope::from_word)?,
        })
    }

    fn warp(&mut self) -> Parse<Op> {
        let op = self.lex.named("a warp operation", WarpOp::from_word)?;
        let op = match op {
            WarpOp::Reduce(_) | WarpOp::Scan(_) | WarpOp::ScanBefore(_) => {
                let by = self.lex.named("how to combine", BinOp::from_word)?;
                match op {
                    WarpOp::Reduce(_) => WarpOp::Reduce(by),
                    WarpOp::Scan(_) => WarpOp::Scan(by),
                    _ => WarpOp::ScanBefore(by),
                }
            }
            op => op,
        };
        let mut operands = Vec::new();
        if op.operands() != Some(0) {
            operands.push(self.lex.value()?);
            while self.lex.eat(',')? {
                operands.push(self.lex.value()?);
            }
        }
        Ok(Op::Warp { op, operands })
    }

    fn pair(&mut self) -> Parse<(Value, Value)> {
        let a = self.lex.value()?;
        self.lex.comma()?;
        Ok((a, self.lex.value()?))
    }

    fn address(&mut self) -> Parse<(Value, i32)> {
        let ptr = self.lex.value()?;
        let offset = match self.lex.token {
            Token::Number(number) => number.parse().ok(),
            _ => None,
        };
        let offset = offset.ok_or_else(|| self.lex.expected("a signed offset"))?;
        self.lex.advance()?;
        Ok((ptr, offset))
    }

    fn alias(&mut self) -> Parse<Alias> {
        let alias = self
            .lex
            .named("what the access reaches through", |word| match word {
                "any" => Some(Alias::Any),
                "unknown" => Some(Alias::Unknown),
                "launch" => Some(Alias::Launch),
                "exchange" => Some(Alias::Exchange),
                "shared" => Some(Alias::Shared(0)),
                "exclusive" => Some(Alias::Exclusive(0)),
                "local" => Some(Alias::Local(LocalId::from_bits(0))),
                "private" => Some(Alias::Private(PrivateId::from_bits(0))),
                "data" => Some(Alias::Data(DataId::from_bits(0))),
                _ => None,
            })?;
        if !matches!(
            alias,
            Alias::Shared(_)
                | Alias::Exclusive(_)
                | Alias::Local(_)
                | Alias::Private(_)
                | Alias::Data(_)
        ) {
            return Ok(alias);
        }
        self.lex.mark('(', "`(`")?;
        let arg = self.lex.unsigned("an argument number")?;
        self.lex.mark(')', "`)`")?;
        Ok(match alias {
            Alias::Shared(_) => Alias::Shared(arg),
            Alias::Local(_) => Alias::Local(LocalId::from_bits(arg)),
            Alias::Private(_) => Alias::Private(PrivateId::from_bits(arg)),
            Alias::Data(_) => Alias::Data(DataId::from_bits(arg)),
            _ => Alias::Exclusive(arg),
        })
    }

    pub(super) fn constant(&mut self, ty: Type) -> Parse<Const> {
        let (Token::Number(text) | Token::Word(text)) = self.lex.token else {
            return Err(self.lex.expected("a constant"));
        };
        let word = if let Some(hex) = text.strip_prefix("0x") {
            u64::from_str_radix(hex, 16).ok()
        } else if ty == Type::F32 {
            text.parse().ok().map(|n: f32| n.to_bits().into())
        } else if ty.is_wide() {
            let signed = text.parse().ok().map(i64::cast_unsigned);
            signed.or_else(|| text.parse().ok())
        } else {
            match text {
                "true" => Some(1),
                "false" => Some(0),
                _ => text.parse().ok().and_then(|n: i64| {
                    let signed = i32::try_from(n).ok().map(i32::cast_unsigned);
                    signed.or_else(|| u32::try_from(n).ok()).map(u64::from)
                }),
            }
        };
        let word = word.ok_or_else(|| self.lex.error(Problem::Malformed("constant")))?;
        self.lex.advance()?;
        Ok(Const(word))
    }
}
