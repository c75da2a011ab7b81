import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { Empty } from '../../components/pane.tsx'
import { addStyles } from '../../components/styles.ts'
import { api } from '../../data/api.ts'
import { preferences } from '../../data/preferences.ts'
import { mayWrite, session } from '../../data/session.ts'
import { useQuery } from '../../data/use-query.ts'
import { address, navigate } from '../../router.ts'
import styles from '../../styles/start.css' with { type: 'text' }
import { makeSample, removeSample } from './sample.ts'

addStyles(styles)

/** What there is to begin with, where there is nothing yet; and what takes the sample away again. */
export function GettingStarted() {
  const { data } = useQuery(['note structure', 'first hour'], async ({ signal }) => {
    const [notes, tables] = await Promise.all([
      api.get('/v1/notes', { query: { limit: 1 }, signal }),
      api.get('/v1/records/structures', { signal }),
    ])
    return notes.total === 0 && tables.structures.length === 0
  })
  if (!mayWrite.value) return <Empty>Choose a note.</Empty>
  if (preferences.value.sample?.workspace === session.value?.workspace.id) return <RemoveSample />
  return data ? <Ways /> : <Empty>Choose a note, or press N for a new one.</Empty>
}

const WAYS: readonly (readonly [icon: IconName, title: string, about: string, parts: readonly string[]])[] = [
  [
    'file',
    'Import a folder',
    'A vault or any folder of Markdown files becomes notes, with links, tags and pictures.',
    ['import'],
  ],
  [
    'table',
    'Start from a table',
    'A csv file, or fields that you name: orders, books, expenses.',
    ['records', 'new'],
  ],
  [
    'agent',
    'Connect an agent',
    'Claude and others read and write here; you see what they did, and can undo it.',
    ['settings', 'agents'],
  ],
]

function Ways() {
  const sample = useAction(async () => navigate(address(['notes', await makeSample()])))
  return (
    <div class="first-hour">
      <h2>Write the first note</h2>
      <p>
        <a class="button main" href={address(['notes', 'new'])}>
          New note
        </a>{' '}
        or press <kbd>N</kbd> anywhere. Or begin with what you have:
      </p>
      <ul class="ways">
        {WAYS.map(([icon, title, about, parts]) => (
          <li key={title}>
            <a href={address(parts)}>
              <Icon name={icon} />
              <b>{title}</b>
              <span>{about}</span>
            </a>
          </li>
        ))}
        <li>
          <button type="button" disabled={sample.isRunning.value} onClick={() => void sample.run()}>
            <Icon name="book" />
            <b>Try the sample</b>
            <span>Two notes and a table of books to look at, removed again with one click.</span>
          </button>
        </li>
      </ul>
      {sample.refusal.value !== undefined && <ErrorText>{sample.refusal.value}</ErrorText>}
    </div>
  )
}

function RemoveSample() {
  const remove = useAction(removeSample)
  return (
    <div class="first-hour">
      <h2>You are looking at the sample</h2>
      <p>Its notes have the tag #sample, and its table is Books (sample). Nothing else is touched.</p>
      <p>
        <Button disabled={remove.isRunning.value} onClick={() => void remove.run()}>
          Remove the sample
        </Button>
      </p>
      {remove.refusal.value !== undefined && <ErrorText>{remove.refusal.value}</ErrorText>}
    </div>
  )
}
