import { didYouMean } from '../near-miss.ts'
import {
  CONSTANTS,
  FUNCTIONS,
  type FunctionRules,
  NEGATION,
  OPERATORS,
  type ParameterType,
} from './functions.ts'
import { type Token, type TokenSymbol, tokensOf } from './tokens.ts'
import { FormulaError, type FormulaValue, type ResultType } from './values.ts'

/*
 * Turns an expression into steps for a stack machine (`evaluate.ts`), and infers its type. Operators and calls wait on
 * a stack of their own until their last operand is read, so nesting of any depth needs no recursion.
 */

/** One step: pushes a value, or replaces the topmost values by a result. */
export type Step =
  | { readonly kind: 'constant'; readonly value: FormulaValue }
  | { readonly kind: 'field'; readonly key: string }
  | { readonly kind: 'call'; readonly rules: FunctionRules; readonly count: number }

export interface Formula {
  readonly result: ResultType
  /** The keys of the fields that it reads. */
  readonly fields: ReadonlySet<string>
  readonly steps: readonly Step[]
}

/** An operand that is read, by its type. */
interface Operand {
  readonly type: ResultType | 'blank'
  readonly position: number
}

/** Operators that wait for operands. */
type Pending =
  | {
      readonly kind: 'operator'
      readonly rules: FunctionRules
      readonly strength: number
      readonly name: string
    }
  | { readonly kind: 'group'; readonly position: number }
  | {
      readonly kind: 'call'
      readonly rules: FunctionRules
      readonly name: string
      readonly position: number
      /** The number of operands before its first argument. */
      readonly base: number
    }

const NEGATION_STRENGTH = 7

const TYPE_NAMES: Readonly<Record<ResultType, string>> = {
  text: 'a text',
  number: 'a number',
  bool: 'true or false',
  date: 'a date',
  datetime: 'a date and time',
}

const fits = (type: ResultType, parameter: ParameterType): boolean =>
  parameter === 'day' ? type === 'date' || type === 'datetime' : type === parameter

/** The type of a call; refuses arguments of other types. */
function typeOfCall(rules: FunctionRules, name: string, args: readonly Operand[]): Operand['type'] {
  let same: Operand['type'] = 'blank'
  for (const [at, { type, position }] of args.entries()) {
    const parameter = rules.parameters[Math.min(at, rules.parameters.length - 1)] ?? 'any'
    if (type === 'blank' || parameter === 'any') continue
    if (parameter !== 'same') {
      if (fits(type, parameter)) continue
      const wanted = TYPE_NAMES[parameter === 'day' ? 'date' : parameter]
      throw new FormulaError(`${name} takes ${wanted} here, and this is ${TYPE_NAMES[type]}`, position)
    }
    if (same !== 'blank' && same !== type)
      throw new FormulaError(
        `${name} takes values of one type, and this is ${TYPE_NAMES[type]}, not ${TYPE_NAMES[same]}`,
        position,
      )
    same = type
  }
  return rules.result === 'same' ? same : rules.result
}

class Compiler {
  readonly steps: Step[] = []
  readonly fields = new Set<string>()
  readonly #operands: Operand[] = []
  readonly #pending: Pending[] = []

  constructor(private readonly typeOf: (key: string) => ResultType | undefined) {}

  /** Takes a token where a value must begin; returns whether the value is complete. */
  takeOperand(token: Token, next: Token | undefined): boolean {
    const { position } = token
    if (token.kind === 'number') {
      const value = Number.isFinite(token.value) ? token.value : null
      return this.#push({ kind: 'constant', value }, { type: 'number', position })
    }
    if (token.kind === 'text')
      return this.#push({ kind: 'constant', value: token.value }, { type: 'text', position })
    if (token.kind === 'field') return this.#pushField(token.key, position)
    if (token.kind === 'name') return this.#takeName(token, next)
    const symbol = token.kind === 'symbol' ? token.symbol : undefined
    if (symbol === '-')
      this.#pending.push({ kind: 'operator', rules: NEGATION, strength: NEGATION_STRENGTH, name: '-' })
    else if (symbol === '(') this.#pending.push({ kind: 'group', position })
    else throw this.#unexpected(token, 'a value')
    return false
  }

  #push(step: Step, operand: Operand): true {
    this.steps.push(step)
    this.#operands.push(operand)
    return true
  }

  #pushField(key: string, position: number): true {
    const type = this.typeOf(key)
    if (type === undefined)
      throw new FormulaError(`There is no field {${key}} that an expression can use`, position)
    this.fields.add(key)
    return this.#push({ kind: 'field', key }, { type, position })
  }

  #takeName({ position, ...token }: Token & { kind: 'name' }, next: Token | undefined): boolean {
    const { name } = token
    const value = CONSTANTS.get(name)
    if (value !== undefined)
      return this.#push({ kind: 'constant', value }, { type: value === null ? 'blank' : 'bool', position })
    const rules = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
    const isCall = next?.kind === 'symbol' && next.symbol === '('
    if (!rules || !isCall) {
      const hint = rules ? ` Write ${rules.form}.` : didYouMean(name, Object.keys(FUNCTIONS))
      throw new FormulaError(`"${token.text}" is no value.${hint}`, position)
    }
    this.#pending.push({ kind: 'call', rules, name, position, base: this.#operands.length })
    return false
  }

  /** Takes a token where a value has ended; returns whether another value must follow. */
  takeOperator(token: Token): boolean {
    if (token.kind === 'end') {
      this.#reduceGroup()
      const open = this.#pending.at(-1)
      if (open && open.kind !== 'operator')
        throw new FormulaError('This parenthesis is not closed', open.position)
      return false
    }
    if (token.kind !== 'symbol') throw this.#unexpected(token, 'an operator')
    const { symbol } = token
    if (symbol === ')') return this.#close(token)
    if (symbol === ',') return this.#takeComma(token)
    const operator = OPERATORS[symbol]
    if (!operator) throw this.#unexpected(token, 'an operator')
    this.#reduce(operator.strength)
    this.#pending.push({ kind: 'operator', rules: operator, strength: operator.strength, name: symbol })
    return true
  }

  #takeComma(token: Token): true {
    this.#reduceGroup()
    const call = this.#pending.at(-1)
    if (call?.kind !== 'call') throw this.#unexpected(token, 'an operator')
    if (this.#operands.length - call.base >= call.rules.most) throw wrongNumber(call)
    return true
  }

  #close(token: Token): false {
    this.#reduceGroup()
    const open = this.#pending.pop()
    if (!open || open.kind === 'operator') throw this.#unexpected(token, 'an operator')
    if (open.kind === 'call') this.#finishCall(open)
    return false
  }

  /** Closes a call without arguments. */
  closeEmpty(): void {
    const call = this.#pending.at(-1)
    if (call?.kind === 'call') throw wrongNumber(call)
  }

  #finishCall(call: Pending & { kind: 'call' }): void {
    const count = this.#operands.length - call.base
    if (count < call.rules.least) throw wrongNumber(call)
    this.#apply(call.rules, call.name, count, call.position)
  }

  #reduceGroup(): void {
    this.#reduce(0)
  }

  /** Applies the pending operators of this strength or more, up to the innermost parenthesis. */
  #reduce(strength: number): void {
    for (let top = this.#pending.at(-1); top?.kind === 'operator'; top = this.#pending.at(-1)) {
      if (top.strength < strength) return
      this.#pending.pop()
      this.#apply(top.rules, top.name, top.rules.parameters.length)
    }
  }

  #apply(rules: FunctionRules, name: string, count: number, position?: number): void {
    const args = this.#operands.splice(this.#operands.length - count)
    const type = typeOfCall(rules, name, args)
    this.#push({ kind: 'call', rules, count }, { type, position: position ?? args[0]?.position ?? 0 })
  }

  #unexpected({ kind, text, position }: Token, wanted: string): FormulaError {
    const found = kind === 'end' ? 'The expression ends' : `Unexpected ${JSON.stringify(text)}`
    return new FormulaError(`${found} where ${wanted} is expected`, position)
  }

  get type(): Operand['type'] {
    return this.#operands[0]?.type ?? 'blank'
  }
}

const wrongNumber = ({ rules, position }: Pending & { kind: 'call' }): FormulaError =>
  new FormulaError(`A wrong number of arguments; write ${rules.form}`, position)

const isSymbol = (token: Token | undefined, symbol: TokenSymbol): boolean =>
  token?.kind === 'symbol' && token.symbol === symbol

/**
 * The steps and the type of an expression. `typeOf` returns the type of a field, or undefined for one that expressions
 * cannot use. Throws a `FormulaError` for the first mistake.
 */
export function compile(expression: string, typeOf: (key: string) => ResultType | undefined): Formula {
  const tokens = tokensOf(expression)
  const compiler = new Compiler(typeOf)
  let isValueNext = true
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (!isValueNext) {
      isValueNext = compiler.takeOperator(token)
      continue
    }
    const next = tokens[at + 1]
    isValueNext = !compiler.takeOperand(token, next)
    if (token.kind !== 'name' || !isValueNext) continue
    // The parenthesis of the call.
    at += 1
    if (isSymbol(tokens[at + 1], ')')) compiler.closeEmpty()
  }
  const { steps, fields, type } = compiler
  if (type === 'blank') throw new FormulaError('The result is always blank', 0)
  return { result: type, fields, steps }
}
