import { mayWriteNotes, session } from '../../data/session.ts'
import { address } from '../../router.ts'
import { openKeys } from '../dialogs.ts'
import { goToWorkspace, leave } from '../leaving.ts'
import { NAV_ITEMS, navAddress } from '../rail.tsx'
import type { Found, Group } from './search.ts'

const group: Group = 'Actions'
const MAX_TITLE = 500

/** Offers to create a note titled with the typed text. */
function newNote(text: string): Found[] {
  if (!mayWriteNotes.value || text.length > MAX_TITLE) return []
  return [
    {
      id: 'new-note',
      icon: 'plus',
      title: text === '' ? 'New note' : `New note “${text}”`,
      detail: 'command',
      group,
      ...(text === ''
        ? { to: address(['notes', 'new']) }
        : { run: async () => (await import('./search.ts')).createNote(text) }),
    },
  ]
}

const screens = (): Found[] =>
  [
    ...NAV_ITEMS,
    { name: 'notes/tasks', title: 'Tasks of all notes', icon: 'check' as const },
    { name: 'views', title: 'Views, presets, lenses, tags, properties', icon: 'side' as const },
  ].map((item) => ({
    id: `screen-${item.name}`,
    icon: item.icon,
    title: item.title,
    detail: 'screen',
    group,
    to: navAddress(item),
  }))

const others = (): Found[] => [
  {
    id: 'keys',
    icon: 'gear',
    title: 'Keyboard shortcuts',
    detail: 'command',
    group,
    run: () => void openKeys(),
  },
  ...(session.value?.workspaces ?? [])
    .filter(({ id }) => id !== session.value?.workspace.id)
    .map(({ id, name }) => ({
      id: `workspace-${id}`,
      icon: 'book' as const,
      title: `Switch to workspace ${name}`,
      detail: 'command',
      group,
      run: () => goToWorkspace(id),
    })),
  { id: 'sign-out', icon: 'back', title: 'Sign out', detail: 'command', group, run: () => leave() },
]

/** Commands and screens whose titles contain every typed word. */
export function findCommands(text: string): Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = ({ title }: Found) => words.every((word) => title.toLowerCase().includes(word))
  const fixed = [...screens(), ...others()].filter(matches)
  return text === '' ? [...newNote(''), ...fixed] : [...fixed, ...newNote(text)]
}
