import { computed } from '@preact/signals'
import { DayHead } from '../../components/day-head.tsx'
import { Button, ErrorText } from '../../components/form.tsx'
import { useHotkeys } from '../../components/hotkeys.ts'
import { Icon } from '../../components/icon.tsx'
import { Empty, Loading, Pane, QueryError } from '../../components/pane.tsx'
import { Select } from '../../components/select.tsx'
import { SideNav } from '../../components/side-nav.tsx'
import { clockTime } from '../../components/time.tsx'
import { counted, formatNumber } from '../../data/formats.ts'
import { mayWrite } from '../../data/session.ts'
import { address, search, setParameters } from '../../router.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/changes.css' with { type: 'text' }
import { EditedText, isTextEdit } from './edited-text.tsx'
import { transactions, useChanges } from './feed.ts'
import { type Names, useNames } from './names.ts'
import { Sentence, Values } from './sentence.tsx'
import {
  type Author,
  authorOf,
  isUndoable,
  SURFACES,
  type Transaction,
  type Value,
  valuesOf,
} from './transactions.ts'
import { close, Undo } from './undo.tsx'

addStyles(styles)

const KINDS: readonly (readonly [kind: string, title: string])[] = [
  ['note', 'Notes'],
  ['record', 'Rows'],
  ['tag', 'Tags'],
  ['property', 'Properties'],
  ['structure', 'Tables'],
  ['view', 'Views'],
  ['row_view', 'Table views'],
  ['preset', 'Presets'],
  ['lens', 'Lenses'],
  ['quick_access_item', 'Quick Access'],
  ['file', 'Files'],
  ['webhook', 'Webhooks'],
  ['source', 'Sources'],
  ['comment', 'Comments'],
]

const parameter = (name: string): string => search.value.get(name) ?? ''

const knownKind = (): string => KINDS.find(([kind]) => kind === parameter('kind'))?.[0] ?? ''

/** All loaded transactions, and the old and new values of their changes. */
const all = computed(() => transactions.value ?? [])
const values = computed(() => valuesOf(all.value))

const shownTransactions = computed(() => {
  const [who, surface] = [parameter('who'), parameter('surface')]
  return all.value.filter(
    ({ actor }) =>
      (who === '' || authorOf(actor).id === who) && (surface === '' || actor.surface === surface),
  )
})

/** Authors with their number of transactions. */
const people = computed(() => {
  const found = new Map<string, Author & { readonly count: number }>()
  for (const { actor } of all.value) {
    const who = authorOf(actor)
    found.set(who.id, { ...who, count: (found.get(who.id)?.count ?? 0) + 1 })
  }
  return [...found.values()]
})

/** The authors as a list beside the changes. */
function People() {
  const here = parameter('who')
  const link = (who?: string) =>
    address(['changes'], { kind: knownKind(), surface: parameter('surface'), who })
  return (
    <Pane kind="side" label="Authors">
      <header class="bar">
        <h2>Authors</h2>
      </header>
      <SideNav label="Authors">
        <ul>
          <li>
            <a href={link()} aria-current={here === '' ? 'true' : undefined}>
              Everyone
            </a>
          </li>
          {people.value.map(({ id, icon, name, count }) => (
            <li key={id}>
              <a href={link(id)} aria-current={here === id ? 'true' : undefined}>
                <Icon name={icon} />
                <span class="cut">{name}</span>
                <span class="at-end">{formatNumber(count)}</span>
              </a>
            </li>
          ))}
        </ul>
      </SideNav>
    </Pane>
  )
}

export function Main() {
  const { hasOlder, isReading, error, readOlder } = useChanges(knownKind())
  const isKnown = transactions.value !== undefined
  const count = shownTransactions.value.length
  const names = useNames()
  const undone = mayWrite.value ? parameter('undo') : ''
  useHotkeys((event) => {
    if (event.key === 'Escape' && parameter('undo') !== '' && !document.querySelector('dialog:modal')) close()
  })
  return (
    <main id="main" class="changes-screen" data-show={undone === '' ? 'content' : 'side'}>
      <h1 class="visually-hidden">Changes</h1>
      <Pane kind="content" label="Changes">
        <header class="bar">
          <h2>Changes</h2>
          <small>newest first</small>
        </header>
        <Filters />
        {isKnown ? (
          <Days transactions={shownTransactions.value} values={values.value} names={names} undone={undone} />
        ) : (
          !error && <Loading />
        )}
        {error && !isKnown && <QueryError error={error} />}
        {isKnown && count === 0 && (
          <Empty>
            <p>{hasOlder ? 'No matching changes among the newest.' : 'No matching changes.'}</p>
          </Empty>
        )}
        {isKnown && (
          <p class="list-end">
            {`${counted(count, 'change')}${hasOlder ? ' loaded' : ', all that are stored'}. `}
            {hasOlder && (
              <Button kind="quiet" disabled={isReading} onClick={() => void readOlder()}>
                {isReading ? 'Loading…' : 'Show older'}
              </Button>
            )}
          </p>
        )}
        {error && isKnown && <ErrorText>{error.message}</ErrorText>}
      </Pane>
      {undone === '' ? (
        <People />
      ) : (
        <Undo
          key={undone}
          id={undone}
          transaction={all.value.find(({ transaction }) => transaction === undone)}
          values={values.value}
          names={names}
        />
      )}
    </main>
  )
}

function Filters() {
  const who = parameter('who')
  const name = people.value.find(({ id }) => id === who)?.name ?? 'Unknown'
  return (
    <div class="tools wraps">
      <Select
        aria-label="Kind"
        value={knownKind()}
        options={[['', 'All kinds'], ...KINDS]}
        onChange={(selected) => setParameters({ kind: selected })}
      />
      <Select
        aria-label="Client"
        value={parameter('surface')}
        options={[['', 'All clients'], ...Object.entries(SURFACES)]}
        onChange={(selected) => setParameters({ surface: selected })}
      />
      <select
        class="input narrow"
        aria-label="Author"
        value={who}
        onChange={({ currentTarget }) => setParameters({ who: currentTarget.value })}
      >
        <option value="">Everyone</option>
        {who !== '' && name === 'Unknown' && <option value={who}>Unknown</option>}
        {people.value.map((person) => (
          <option key={person.id} value={person.id} selected={person.id === who}>
            {person.name}
          </option>
        ))}
      </select>
      {who !== '' && (
        <span class="chip">
          Author: <b>{name}</b>
          <button
            type="button"
            aria-label="Remove filter: author"
            onClick={() => setParameters({ who: undefined })}
          >
            <Icon name="x" />
          </button>
        </span>
      )}
    </div>
  )
}

interface ListProps {
  readonly values: ReadonlyMap<string, readonly Value[]>
  readonly names: Names
  readonly undone: string
}

function Days({ transactions, ...rest }: ListProps & { transactions: readonly Transaction[] }) {
  const days = Map.groupBy(transactions, ({ at }) => new Date(at).toDateString())
  return (
    <>
      {[...days].map(([name, ofDay]) => (
        <section key={name} aria-label={name}>
          <DayHead at={ofDay[0]?.at ?? ''} />
          <ol class="ledger">
            {ofDay.map((transaction) => (
              <Row key={transaction.transaction} transaction={transaction} {...rest} />
            ))}
          </ol>
        </section>
      ))}
    </>
  )
}

function Row({ transaction, values, names, undone }: ListProps & { transaction: Transaction }) {
  const { transaction: id, at, actor, entries = [] } = transaction
  const { icon, name, kind } = authorOf(actor)
  const isOn = id === undone
  const [single] = entries.length === 1 ? entries : []
  const fields = names.structures.get(single?.structure_id ?? '')?.fields
  const changed = (single && values.get(single.cursor)) ?? []
  const label = (key: string) => fields?.find((field) => field.key === key)?.label ?? key.replaceAll('_', ' ')
  const instant = new Date(at)
  return (
    <li class={isOn ? 'chosen' : undefined}>
      <time dateTime={at} title={instant.toLocaleString()}>
        {clockTime(instant)}
      </time>
      <div class="item">
        <span class="who">
          <Icon name={icon} />
          {name} {kind && <span class="kind">{kind}</span>}
        </span>
        <div>
          <Sentence transaction={transaction} names={names} />
          {changed.length > 0 && (
            <p>
              <Values values={changed} label={label} />
            </p>
          )}
          {isTextEdit(single) && <EditedText entry={single} />}
        </div>
        <UndoLink transaction={transaction} isOn={isOn} />
      </div>
    </li>
  )
}

function UndoLink({ transaction, isOn }: { transaction: Transaction; isOn: boolean }) {
  if (!mayWrite.value) return null
  if (transaction.undone_by !== null) return <small>undone</small>
  if (transaction.counts.some(({ op }) => op === 'purged')) return <small>permanent</small>
  if (!isUndoable(transaction))
    return <small title="Only notes and rows can be undone">cannot be undone</small>
  const current = Object.fromEntries(search.value)
  return (
    <a
      class={isOn ? 'button' : 'button quiet'}
      href={address(['changes'], { ...current, undo: transaction.transaction })}
      aria-current={isOn ? 'true' : undefined}
    >
      Undo…
    </a>
  )
}
