import { goToWorkspace, leave } from '../../data/leaving.ts'
import { mayWrite, session } from '../../data/session.ts'
import { address } from '../../router.ts'
import { openKeys } from '../dialogs.ts'
import { PLACES, placeAddress } from '../rail.tsx'
import type { Found, Group } from './search.ts'

const group: Group = 'Do'
const MAX_TITLE = 500

/** Makes a note; what was typed becomes its title. */
function newNote(text: string): Found[] {
  if (!mayWrite.value || text.length > MAX_TITLE) return []
  return [
    {
      id: 'new-note',
      icon: 'plus',
      title: text === '' ? 'New note' : `New note “${text}”`,
      what: 'command',
      group,
      ...(text === ''
        ? { to: address(['notes', 'new']) }
        : { run: async () => (await import('./search.ts')).makeNote(text) }),
    },
  ]
}

const places = (): Found[] =>
  [
    ...PLACES,
    { name: 'views', title: 'Views, presets, lenses, tags, properties', icon: 'side' as const },
  ].map((place) => ({
    id: `place-${place.name}`,
    icon: place.icon,
    title: place.title,
    what: 'place',
    group,
    to: placeAddress(place),
  }))

const others = (): Found[] => [
  { id: 'keys', icon: 'gear', title: 'Keys', what: 'command', group, run: () => void openKeys() },
  ...(session.value?.workspaces ?? [])
    .filter(({ id }) => id !== session.value?.workspace.id)
    .map(({ id, name }) => ({
      id: `workspace-${id}`,
      icon: 'book' as const,
      title: `Go to the workspace ${name}`,
      what: 'command',
      group,
      run: () => goToWorkspace(id),
    })),
  { id: 'sign-out', icon: 'back', title: 'Sign out', what: 'command', group, run: () => leave() },
]

/** Commands and places whose words contain what was typed. */
export function findCommands(text: string): Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ title }: Found) => words.every((word) => title.toLowerCase().includes(word))
  const fixed = [...places(), ...others()].filter(fits)
  return text === '' ? [...newNote(''), ...fixed] : [...fixed, ...newNote(text)]
}
