import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Banner, Loading, Pane } from '../../components/pane.tsx'
import { api } from '../../data/api.ts'
import { dateFormat, formatNumber } from '../../data/formats.ts'
import { setParameters } from '../../router.ts'
import { EditedText, isTextEdit } from './edited-text.tsx'
import { useEntries } from './feed.ts'
import { type Names, nameOf, placeOf } from './names.ts'
import { shown } from './sentence.tsx'
import { type Entry, type Transaction, type Value, valuesOf, whoOf } from './transactions.ts'

interface Undone {
  readonly kind: string
  readonly id: string
  readonly op: string
}

interface UndoProps {
  readonly id: string
  /** Undefined when it is older than what is on the page. */
  readonly transaction: Transaction | undefined
  readonly values: ReadonlyMap<string, readonly Value[]>
  readonly names: Names
}

/** Closes the pane; the focus is again where it was opened from. */
export function close(): void {
  const opener = document.querySelector<HTMLElement>('.ledger [aria-current]')
  setParameters({ undo: undefined })
  opener?.focus()
}

const whole = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' })

const counted = (count: number) => (count === 1 ? '1 change' : `${formatNumber(count)} changes`)

/** Tries to take a write back without writing, and shows what would be written, before anything is. */
export function Undo({ id, transaction, values, names }: UndoProps) {
  const [tried, setTried] = useState<readonly Undone[]>()
  const [refusal, setRefusal] = useState<string>()
  const [isDone, setDone] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  // Else there are all other writes between the one that is undone and this pane.
  useEffect(() => heading.current?.focus(), [])
  useEffect(() => {
    const stop = new AbortController()
    api
      .post('/v1/changes/undo', { body: { transaction: id, dry_run: true }, signal: stop.signal })
      .then(({ undone }) => setTried(undone))
      .catch((error: Error) => stop.signal.aborted || setRefusal(error.message))
    return () => stop.abort()
  }, [id])
  const {
    run,
    isRunning,
    refusal: writeRefusal,
  } = useAction(async () => {
    await api.post('/v1/changes/undo', { body: { transaction: id, dry_run: false } })
    setDone(true)
  })
  return (
    <Pane kind="side" label="Undo">
      <header class="bar">
        <button
          type="button"
          class="button quiet icon-only narrow"
          aria-label="Back to the changes"
          onClick={close}
        >
          <Icon name="back" />
        </button>
        <h2 ref={heading} tabIndex={-1}>
          {isDone ? 'Undone' : 'Undo, tried without writing'}
        </h2>
      </header>
      {isDone ? (
        <Banner>
          <Icon name="check" />
          <p>
            <strong>{counted(tried?.length ?? 0)} taken back.</strong> That is a change of its own, at the top
            of the list; it can be undone too.
          </p>
        </Banner>
      ) : (
        <Outcome tried={tried} refusal={refusal} />
      )}
      {transaction && <About transaction={transaction} />}
      <section class="section">
        {writeRefusal.value !== undefined && <ErrorText>{writeRefusal.value}</ErrorText>}
        <p class="actions">
          {tried && !isDone && (
            <Button kind="main" disabled={isRunning.value} onClick={() => void run()}>
              Undo {counted(tried.length)}
            </Button>
          )}
          <Button kind="quiet" onClick={close}>
            {isDone || refusal !== undefined ? 'Close' : 'Cancel'} <kbd>Esc</kbd>
          </Button>
        </p>
      </section>
      {tried && !isDone && (
        <Plan id={id} tried={tried} transaction={transaction} values={values} names={names} />
      )}
    </Pane>
  )
}

function Outcome({ tried, refusal }: { tried: readonly Undone[] | undefined; refusal: string | undefined }) {
  if (refusal !== undefined)
    return (
      <div class="banner bad" role="alert">
        <Icon name="warn" />
        <p>{refusal}</p>
      </div>
    )
  if (!tried) return <Loading label="Trying…" />
  return (
    <div class="banner ok" role="status">
      <Icon name="check" />
      <p>
        <strong>
          {tried.length === 1 ? 'It can go back.' : `All ${counted(tried.length)} can go back.`}
        </strong>{' '}
        Nobody has touched {tried.length === 1 ? 'it' : 'them'} since.
      </p>
    </div>
  )
}

function About({ transaction: { actor, at } }: { transaction: Transaction }) {
  const { name, kind } = whoOf(actor)
  return (
    <section class="section">
      <dl class="facts">
        <dt>Who</dt>
        <dd>
          {name}
          {kind && `, by ${kind}`}
        </dd>
        <dt>When</dt>
        <dd>{whole(new Date(at))}</dd>
        <dt>Also</dt>
        <dd>Undoing is a write like any other: webhooks hear of it.</dd>
      </dl>
    </section>
  )
}

const OPERATIONS: Readonly<Record<string, string>> = {
  created: 'is made again',
  deleted: 'is deleted',
  restored: 'comes back',
}

const FIRST = 50

interface PlanProps extends UndoProps {
  readonly tried: readonly Undone[]
}

/** What would be written, object by object. */
function Plan({ id: write, tried, transaction, values, names }: PlanProps) {
  const entries = useEntries(write, transaction?.entries)
  const own = transaction?.entries ? values : valuesOf([{ entries }])
  const [isWhole, setWhole] = useState(false)
  const shownOnes = isWhole ? tried : tried.slice(0, FIRST)
  return (
    <section class="section">
      <h3>What would be written</h3>
      <ul class="undo-list">
        {shownOnes.map(({ kind, id, op }) => {
          const isOf = (one: { kind: string; id: string }) => one.kind === kind && String(one.id) === id
          const entry = entries?.find(isOf)
          const place = entry && placeOf(entry)
          const label = transaction?.objects.find(isOf)?.label
          const name = entry ? nameOf(entry, names) : (label ?? `${kind} ${id.slice(0, 8)}`)
          return (
            <li key={`${kind} ${id}`}>
              {place === undefined ? <span>{name}</span> : <a href={place}>{name}</a>}
              <span>
                {op !== 'updated' ? (
                  OPERATIONS[op]
                ) : entry ? (
                  <Back entry={entry} values={own.get(entry.cursor) ?? []} />
                ) : (
                  'as it was before'
                )}
              </span>
            </li>
          )
        })}
      </ul>
      {shownOnes.length < tried.length && (
        <p class="actions">
          <Button kind="quiet" onClick={() => setWhole(true)}>
            {formatNumber(tried.length - shownOnes.length)} more
          </Button>
        </p>
      )}
    </section>
  )
}

/** What each value would be again, and the text. */
function Back({ entry, values }: { entry: Entry; values: readonly Value[] }) {
  return (
    <>
      {values.map(({ key, before, after }, at) => (
        <span key={key}>
          {at > 0 && ', '}
          {after !== undefined && <del class="was">{shown(after)}</del>}
          <span class="arrow">→</span>
          {shown(before)}
        </span>
      ))}
      {isTextEdit(entry) ? (
        <EditedText entry={entry} isBack />
      ) : (
        values.length === 0 && 'the text as it was before'
      )}
    </>
  )
}
