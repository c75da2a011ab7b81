import { useRef, useState } from 'preact/hooks'
import { compile } from '../../../../lib/formula/compile.ts'
import { completionsAt } from '../../../../lib/formula/completions.ts'
import { evaluate } from '../../../../lib/formula/evaluate.ts'
import { FormulaError, type FormulaValue, type ResultType, textOf } from '../../../../lib/formula/values.ts'
import { ErrorText } from '../../../components/form.tsx'
import { useId } from '../../../components/use-id.ts'
import { api } from '../../../data/api.ts'
import { type Row, rowLabel, type Structure } from '../../../data/records/model.ts'
import { useQuery } from '../../../data/use-query.ts'

/** The types of fields in expressions; other fields cannot be used. */
const EXPRESSION_TYPES: Readonly<Record<string, ResultType>> = {
  ...{ number: 'number', bool: 'bool', date: 'date', datetime: 'datetime' },
  ...{ text: 'text', select: 'text', time: 'text', note: 'text', file: 'text', record: 'text', user: 'text' },
}

interface FormulaProps {
  readonly expression: string
  /** The other fields, by key. */
  readonly types: ReadonlyMap<string, string>
  /** Undefined before the table exists. */
  readonly structure: Structure | undefined
  readonly onChange: (expression: string) => void
}

interface Evaluated {
  readonly result: ResultType
  readonly value: FormulaValue
}

type Outcome = Evaluated | { readonly error: string; readonly position: number }

function outcomeOf({ expression, types }: FormulaProps, row: Row | undefined): Outcome {
  try {
    const formula = compile(expression, (key) => EXPRESSION_TYPES[types.get(key) ?? ''])
    const value = evaluate(formula, (key) => (row?.data[key] as FormulaValue | undefined) ?? null)
    return { result: formula.result, value }
  } catch (error) {
    if (error instanceof FormulaError) return { error: error.message, position: error.position }
    throw error
  }
}

const MAX_SAMPLES = 20

/** The newest rows, one of which shows its result. */
const useSamples = (structure: string | undefined) =>
  useQuery(
    ['record', 'samples', structure],
    async ({ signal }) => {
      const query = { structure: structure ?? '', limit: MAX_SAMPLES }
      return (await api.get('/v1/records', { query, signal })).records as Row[]
    },
    { enabled: structure !== undefined },
  )

interface ResultProps {
  readonly outcome: Evaluated
  readonly rows: readonly Row[]
  readonly row: Row | undefined
  readonly structure: Structure | undefined
  readonly onRow: (id: string) => void
}

/** The type of the result, and its value for a row that the user selects. */
const Result = ({ outcome: { result, value }, rows, row, structure, onRow }: ResultProps) => (
  <small>
    Result: {result}
    {row && structure && (
      <>
        {' · '}
        <select
          class="input"
          aria-label="Row of the result"
          value={row.id}
          onChange={({ currentTarget }) => onRow(currentTarget.value)}
        >
          {rows.map((one) => (
            <option key={one.id} value={one.id}>
              {rowLabel(structure, one)}
            </option>
          ))}
        </select>{' '}
        <output>{value === null ? 'blank' : textOf(value)}</output>
      </>
    )}
  </small>
)

/** Edits the expression of a formula, with completions, the result for a row, and the place of a mistake. */
export function Formula(props: FormulaProps) {
  const { expression, types, structure, onChange } = props
  const id = useId()
  const input = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState<number | undefined>()
  const { data: rows = [] } = useSamples(structure?.id)
  const [selected, setSelected] = useState<string>()
  const row = rows.find((one) => one.id === selected) ?? rows[0]
  const outcome = outcomeOf(props, row)
  const usable = [...types].filter(([, type]) => EXPRESSION_TYPES[type] !== undefined).map(([key]) => key)
  const completion = caret === undefined ? undefined : completionsAt(expression, caret, usable)
  const moveTo = (at: number) => {
    input.current?.focus()
    input.current?.setSelectionRange(at, at)
    setCaret(at)
  }
  const insert = (text: string) => {
    if (!completion || caret === undefined) return
    onChange(expression.slice(0, completion.from) + text + expression.slice(caret))
    const at = completion.from + text.length
    requestAnimationFrame(() => moveTo(at))
  }
  const noteCaret = () => setCaret(input.current?.selectionStart)
  const [first] = completion?.texts ?? []
  return (
    <div class="field">
      <label for={id}>Formula</label>
      <textarea
        class="input"
        id={id}
        ref={input}
        rows={2}
        maxLength={2_000}
        spellcheck={false}
        value={expression}
        aria-describedby={`${id}-result`}
        placeholder="ROUND({price} * {count}, 2)"
        onInput={({ currentTarget }) => {
          onChange(currentTarget.value)
          noteCaret()
        }}
        onClick={noteCaret}
        onKeyUp={noteCaret}
        onBlur={() => setCaret(undefined)}
        onKeyDown={(event) => {
          if (event.key !== 'Tab' || event.shiftKey || first === undefined) return
          event.preventDefault()
          insert(first)
        }}
      />
      {completion && completion.texts.length > 0 && (
        <p class="actions">
          {completion.texts.map((text) => (
            <button
              key={text}
              type="button"
              class="button quiet"
              // Keeps the focus in the text.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => insert(text)}
            >
              {text}
            </button>
          ))}
        </p>
      )}
      <div id={`${id}-result`}>
        {expression.trim() === '' ? (
          <small>Fields stand in braces: {usable.map((key) => `{${key}}`).join(' ')}</small>
        ) : 'error' in outcome ? (
          <ErrorText>
            {outcome.error}.{' '}
            <button type="button" class="link" onClick={() => moveTo(unitAt(expression, outcome.position))}>
              Position {outcome.position}
            </button>
          </ErrorText>
        ) : (
          <Result {...{ outcome, rows, row, structure }} onRow={setSelected} />
        )}
      </div>
    </div>
  )
}

/** The index of a character in UTF-16 units, as inputs count. */
const unitAt = (text: string, position: number): number => [...text].slice(0, position).join('').length
