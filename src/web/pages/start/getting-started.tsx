import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { Empty } from '../../components/pane.tsx'
import { api } from '../../data/api.ts'
import { preferences } from '../../data/preferences.ts'
import { mayWrite, session } from '../../data/session.ts'
import { useQuery } from '../../data/use-query.ts'
import { address, navigate } from '../../router.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/start.css' with { type: 'text' }
import { createSample, removeSample } from './sample.ts'

addStyles(styles)

/** Suggestions for an empty workspace, or a button that removes the sample. */
export function GettingStarted() {
  const { data } = useQuery(['note structure', 'first hour'], async ({ signal }) => {
    const [notes, tables] = await Promise.all([
      api.get('/v1/notes', { query: { limit: 1 }, signal }),
      api.get('/v1/records/structures', { signal }),
    ])
    return notes.total === 0 && tables.structures.length === 0
  })
  if (!mayWrite.value) return <Empty>Select a note.</Empty>
  if (preferences.value.sample?.workspace === session.value?.workspace.id) return <RemoveSample />
  return data ? <StartOptions /> : <Empty>Select a note, or press N for a new one.</Empty>
}

const START_OPTIONS: readonly (readonly [
  icon: IconName,
  title: string,
  about: string,
  parts: readonly string[],
])[] = [
  [
    'file',
    'Import a folder',
    'An Obsidian vault or any folder of Markdown files, with links, tags and images.',
    ['import'],
  ],
  [
    'table',
    'Create a table',
    'From a CSV file, or with your own fields: orders, books, expenses.',
    ['records', 'new'],
  ],
  [
    'agent',
    'Connect an agent',
    'Claude and others can read and write here. You see their changes and can undo them.',
    ['settings', 'agents'],
  ],
]

function StartOptions() {
  const sample = useAction(async () => navigate(address(['notes', await createSample()])))
  return (
    <div class="first-hour">
      <h2>Write your first note</h2>
      <p>
        <a class="button main" href={address(['notes', 'new'])}>
          New note
        </a>{' '}
        or press <kbd>N</kbd> anywhere. Or start from something you have:
      </p>
      <ul class="ways">
        {START_OPTIONS.map(([icon, title, about, parts]) => (
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
            <span>Two notes and a table of books. Remove them with one click.</span>
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
      <h2>This is the sample</h2>
      <p>Its notes have the tag #sample; its table is Books (sample). Nothing else is removed.</p>
      <p>
        <Button disabled={remove.isRunning.value} onClick={() => void remove.run()}>
          Remove sample
        </Button>
      </p>
      {remove.refusal.value !== undefined && <ErrorText>{remove.refusal.value}</ErrorText>}
    </div>
  )
}
