import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Banner, Loading, Pane } from '../../components/pane.tsx'
import { api } from '../../data/api.ts'
import { counted, dateFormat, formatNumber } from '../../data/formats.ts'
import { setParameters } from '../../router.ts'
import { EditedText, isTextEdit } from './edited-text.tsx'
import { useEntries } from './feed.ts'
import { addressOf, type Names, nameOf } from './names.ts'
import { shortValue } from './sentence.tsx'
import { authorOf, type Entry, type Transaction, type Value, valuesOf } from './transactions.ts'

interface Undone {
  readonly kind: string
  readonly id: string
  readonly op: string
}

interface UndoProps {
  readonly id: string
  /** Undefined if it is older than the loaded transactions. */
  readonly transaction: Transaction | undefined
  readonly values: ReadonlyMap<string, readonly Value[]>
  readonly names: Names
}

/** Closes the pane and returns the focus to the link that opened it. */
export function close(): void {
  const opener = document.querySelector<HTMLElement>('.ledger [aria-current]')
  setParameters({ undo: undefined })
  opener?.focus()
}

const formatInstant = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' })

/** Previews the undo of a transaction (a dry run), and writes it on request. */
export function Undo({ id, transaction, values, names }: UndoProps) {
  const [preview, setPreview] = useState<readonly Undone[]>()
  const [refusal, setRefusal] = useState<string>()
  const [isDone, setDone] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  // Without this, keyboard users would have to pass all transactions between the selected one and this pane.
  useEffect(() => heading.current?.focus(), [])
  useEffect(() => {
    const stop = new AbortController()
    api
      .post('/v1/changes/undo', { body: { transaction: id, dry_run: true }, signal: stop.signal })
      .then(({ undone }) => setPreview(undone))
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
          {isDone ? 'Undone' : 'Undo preview'}
        </h2>
      </header>
      {isDone ? (
        <Banner>
          <Icon name="check" />
          <p>
            <strong>{counted(preview?.length ?? 0, 'change')} undone.</strong> The undo is itself a change, at
            the top of the list, and can be undone too.
          </p>
        </Banner>
      ) : (
        <Outcome preview={preview} refusal={refusal} />
      )}
      {transaction && <About transaction={transaction} />}
      <section class="section">
        {writeRefusal.value !== undefined && <ErrorText>{writeRefusal.value}</ErrorText>}
        <p class="actions">
          {preview && !isDone && (
            <Button kind="main" disabled={isRunning.value} onClick={() => void run()}>
              Undo {counted(preview.length, 'change')}
            </Button>
          )}
          <Button kind="quiet" onClick={close}>
            {isDone || refusal !== undefined ? 'Close' : 'Cancel'} <kbd>Esc</kbd>
          </Button>
        </p>
      </section>
      {preview && !isDone && (
        <Preview id={id} preview={preview} transaction={transaction} values={values} names={names} />
      )}
    </Pane>
  )
}

function Outcome({
  preview,
  refusal,
}: {
  preview: readonly Undone[] | undefined
  refusal: string | undefined
}) {
  if (refusal !== undefined)
    return (
      <div class="banner bad" role="alert">
        <Icon name="warn" />
        <p>{refusal}</p>
      </div>
    )
  if (!preview) return <Loading label="Previewing…" />
  return (
    <div class="banner ok" role="status">
      <Icon name="check" />
      <p>
        <strong>
          {preview.length === 1
            ? 'It can be undone.'
            : `All ${counted(preview.length, 'change')} can be undone.`}
        </strong>{' '}
        {preview.length === 1 ? 'The object has' : 'The objects have'} not changed since.
      </p>
    </div>
  )
}

function About({ transaction: { actor, at } }: { transaction: Transaction }) {
  const { name, kind } = authorOf(actor)
  return (
    <section class="section">
      <dl class="facts">
        <dt>Author</dt>
        <dd>
          {name}
          {kind && `, by ${kind}`}
        </dd>
        <dt>When</dt>
        <dd>{formatInstant(new Date(at))}</dd>
        <dt>Webhooks</dt>
        <dd>Undo counts as a change, so webhooks are sent.</dd>
      </dl>
    </section>
  )
}

const OPERATIONS: Readonly<Record<string, string>> = {
  created: 'will be created again',
  deleted: 'will be deleted',
  restored: 'will be restored',
}

const FIRST = 50

interface PlanProps extends UndoProps {
  readonly preview: readonly Undone[]
}

/** The preview, object by object. */
function Preview({ id: write, preview, transaction, values, names }: PlanProps) {
  const entries = useEntries(write, transaction?.entries)
  const own = transaction?.entries ? values : valuesOf([{ entries }])
  const [isExpanded, setExpanded] = useState(false)
  const shownObjects = isExpanded ? preview : preview.slice(0, FIRST)
  return (
    <section class="section">
      <h3>Preview</h3>
      <ul class="undo-list">
        {shownObjects.map(({ kind, id, op }) => {
          const isSame = (other: { kind: string; id: string }) =>
            other.kind === kind && String(other.id) === id
          const entry = entries?.find(isSame)
          const place = entry && addressOf(entry)
          const label = transaction?.objects.find(isSame)?.label
          const name = entry ? nameOf(entry, names) : (label ?? `${kind} ${id.slice(0, 8)}`)
          return (
            <li key={`${kind} ${id}`}>
              {place === undefined ? <span>{name}</span> : <a href={place}>{name}</a>}
              <span>
                {op !== 'updated' ? (
                  OPERATIONS[op]
                ) : entry ? (
                  <UndoneEntry entry={entry} values={own.get(entry.cursor) ?? []} />
                ) : (
                  'earlier values'
                )}
              </span>
            </li>
          )
        })}
      </ul>
      {shownObjects.length < preview.length && (
        <p class="actions">
          <Button kind="quiet" onClick={() => setExpanded(true)}>
            Show {formatNumber(preview.length - shownObjects.length)} more
          </Button>
        </p>
      )}
    </section>
  )
}

/** The values and the text after the undo. */
function UndoneEntry({ entry, values }: { entry: Entry; values: readonly Value[] }) {
  return (
    <>
      {values.map(({ key, before, after }, at) => (
        <span key={key}>
          {at > 0 && ', '}
          {after !== undefined && <del class="was">{shortValue(after)}</del>}
          <span class="arrow">→</span>
          {shortValue(before)}
        </span>
      ))}
      {isTextEdit(entry) ? <EditedText entry={entry} isBack /> : values.length === 0 && 'earlier text'}
    </>
  )
}
