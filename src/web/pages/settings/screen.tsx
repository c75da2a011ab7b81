import { useLayoutEffect } from 'preact/hooks'
import { Pane } from '../../components/pane.tsx'
import { addStyles } from '../../components/styles.ts'
import { session } from '../../data/session.ts'
import { address, path } from '../../router.ts'
import styles from '../../styles/settings.css' with { type: 'text' }
import { AccessSection } from './access.tsx'
import { Agents } from './agents.tsx'
import { Appearance } from './appearance.tsx'
import { Backup } from './backup.tsx'
import { Keys } from './keys.tsx'
import { Members } from './members.tsx'
import { Offline } from './offline.tsx'
import { Sessions } from './sessions.tsx'
import { Shares } from './shares.tsx'
import { WaysIn } from './ways-in.tsx'
import { Workspaces } from './workspaces.tsx'

addStyles(styles)

const mayBackUp = () => session.value?.workspaces.every(({ role }) => role === 'owner') ?? false

const sections = () => [
  { name: 'appearance', title: 'Appearance', Section: Appearance },
  { name: 'keys', title: 'Keys', Section: Keys },
  { name: 'agents', title: 'Agents', Section: Agents },
  { name: 'members', title: 'Members', Section: Members },
  { name: 'access', title: 'Access', Section: AccessSection },
  { name: 'shares', title: 'Shared links', Section: Shares },
  { name: 'sign-in', title: 'Sign-in', Section: WaysIn },
  { name: 'sessions', title: 'Sessions, password', Section: Sessions },
  { name: 'offline', title: 'Offline', Section: Offline },
  { name: 'workspaces', title: 'Workspaces', Section: Workspaces },
  ...(mayBackUp() ? [{ name: 'backup', title: 'Backup', Section: Backup }] : []),
]

/** The section that the address names. */
const current = () => path.value[1] ?? 'keys'

export const Side = () => (
  <div class="rail-sub">
    <h2>Settings</h2>
    <ul>
      {sections().map(({ name, title }) => (
        <li key={name}>
          <a href={address(['settings', name])} aria-current={current() === name ? 'true' : undefined}>
            {title}
          </a>
        </li>
      ))}
    </ul>
  </div>
)

/** Keeps a section in view while those above it are loaded, until the person scrolls or the function is called. */
function keepInView(name: string): () => void {
  const observer = new ResizeObserver(() => {
    const section = document.getElementById(name)
    const bar = section?.parentElement?.querySelector<HTMLElement>('.bar')
    if (section && bar) section.parentElement?.scrollTo({ top: section.offsetTop - bar.offsetHeight })
  })
  for (const section of document.querySelectorAll('.settings-screen .setting')) observer.observe(section)
  const acts = ['wheel', 'touchmove', 'pointerdown', 'keydown']
  const stop = () => {
    observer.disconnect()
    for (const act of acts) removeEventListener(act, stop)
  }
  for (const act of acts) addEventListener(act, stop, { passive: true })
  return stop
}

export function Main() {
  const named = path.value[1]
  // Before anything is painted: the focus is not taken from who types at once.
  useLayoutEffect(() => {
    if (named === undefined) return
    document.getElementById(`${named}-h`)?.focus({ preventScroll: true })
    return keepInView(named)
  }, [named])
  return (
    <main id="main" class="settings-screen">
      <Pane kind="content">
        <header class="bar">
          <h1>Settings</h1>
          <small>of the workspace {session.value?.workspace.name}</small>
        </header>
        {sections().map(({ name, Section }) => (
          <Section key={name} />
        ))}
      </Pane>
    </main>
  )
}
