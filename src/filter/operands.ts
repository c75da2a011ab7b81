import { atPlace, invalid } from '../lib/refusal.ts'
import { OPERATORS, type OperatorName } from './operators.ts'

/*
 * The operands of conditions, common to filters over rows, filter trees over notes, and the conditions of sources.
 */

/** The most values in one condition. */
const MAX_OPERANDS = 500

interface OperandRules {
  /** The lowest and the highest number of values in a list. */
  readonly least?: number
  readonly most?: number
  /** Whether null is a value, which the type of the target may refuse. Otherwise it is a missing value. */
  readonly takesNull?: boolean
  /** Follows the sentence that a value is required. */
  readonly hint?: string
}

/** Refuses a value that does not have the number of operands of the operator. `place` is the place of the value. */
export function checkOperands(op: OperatorName, value: unknown, place: string, rules: OperandRules): void {
  const broken = brokenRule(op, value, rules)
  if (broken !== undefined) throw invalid(`"${place}" ${broken}`, atPlace(place))
}

function brokenRule(op: OperatorName, value: unknown, rules: OperandRules): string | undefined {
  const { takesNull = false, hint = '' } = rules
  const count = OPERATORS[op].takes
  const isMissing = value === undefined || value === null
  if (count === 'none') return isMissing ? undefined : `must be omitted with ${op}.`
  if (count === 'list') return brokenListRule(op, value, rules)
  if (takesNull ? value === undefined : isMissing) return `is required with ${op}${hint}.`
  const isPair = Array.isArray(value) && value.length === 2
  return count === 'pair' && !isPair ? `must be a list [low, high] with ${op}.` : undefined
}

function brokenListRule(op: OperatorName, value: unknown, { least = 0, most = MAX_OPERANDS }: OperandRules) {
  if (!Array.isArray(value)) return `must be a list with ${op}.`
  if (value.length < least) return `must hold at least one value with ${op}.`
  return value.length > most ? `holds ${value.length} values; ${most} are allowed.` : undefined
}
