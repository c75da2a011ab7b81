import type { ComponentType } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { Pane } from '../../components/pane.tsx'
import { SideNav } from '../../components/side-nav.tsx'
import { session } from '../../data/session.ts'
import { address, navigate, path } from '../../router.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/settings.css' with { type: 'text' }
import { AccessSection } from './access.tsx'
import { Agents } from './agents.tsx'
import { Appearance } from './appearance.tsx'
import { ConnectedApps } from './apps.tsx'
import { Backup } from './backup.tsx'
import { Keys } from './keys.tsx'
import { Members } from './members.tsx'
import { Offline } from './offline.tsx'
import { Sessions } from './sessions.tsx'
import { Shares } from './shares.tsx'
import { SignInOptions } from './sign-in-options.tsx'
import { Workspaces } from './workspaces.tsx'

addStyles(styles)

const mayBackUp = () => session.value?.workspaces.every(({ role }) => role === 'owner') ?? false

interface Part {
  /** The last segment of its address; `also` is that of a second section on the page. */
  readonly name: string
  readonly also?: string
  readonly title: string
  readonly Section: ComponentType
}

const SignIn = () => (
  <>
    <SignInOptions />
    <Sessions />
  </>
)

const FIRST: Part = { name: 'appearance', title: 'Appearance', Section: Appearance }

const groups = (): readonly { readonly title: string; readonly sections: readonly Part[] }[] => [
  {
    title: 'You',
    sections: [
      FIRST,
      { name: 'sign-in', also: 'sessions', title: 'Sign-in and sessions', Section: SignIn },
      { name: 'offline', title: 'Offline', Section: Offline },
    ],
  },
  {
    title: 'Workspace',
    sections: [
      { name: 'keys', title: 'Keys', Section: Keys },
      { name: 'apps', title: 'Connected apps', Section: ConnectedApps },
      { name: 'agents', title: 'Agents', Section: Agents },
      { name: 'members', title: 'Members', Section: Members },
      { name: 'access', title: 'Access', Section: AccessSection },
      { name: 'shares', title: 'Shared links', Section: Shares },
    ],
  },
  {
    title: 'Server',
    sections: [
      { name: 'workspaces', title: 'Workspaces', Section: Workspaces },
      ...(mayBackUp() ? [{ name: 'backup', title: 'Backup', Section: Backup }] : []),
    ],
  },
]

const current = () =>
  groups()
    .flatMap(({ sections }) => sections)
    .find(({ name, also }) => [name, also].includes(path.value[1])) ?? FIRST

const Sections = () => (
  <Pane kind="side" label="Sections">
    <SideNav label="Sections">
      {groups().map(({ title, sections }) => (
        <div key={title}>
          <h2>{title}</h2>
          <ul>
            {sections.map((section) => (
              <li key={section.name}>
                <a
                  href={address(['settings', section.name])}
                  aria-current={current().name === section.name ? 'true' : undefined}
                >
                  {section.title}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </SideNav>
  </Pane>
)

/** Replaces the column on narrow screens. */
const SectionChoice = () => (
  <select
    class="input narrow"
    aria-label="Section"
    value={current().name}
    onChange={({ currentTarget }) => navigate(address(['settings', currentTarget.value]))}
  >
    {groups().map(({ title, sections }) => (
      <optgroup key={title} label={title}>
        {sections.map((section) => (
          <option key={section.name} value={section.name} selected={section.name === current().name}>
            {section.title}
          </option>
        ))}
      </optgroup>
    ))}
  </select>
)

export function Main() {
  const named = path.value[1]
  const { name, Section } = current()
  // A layout effect, so that the focus does not move after the user has begun to type.
  useLayoutEffect(() => {
    if (named !== undefined) document.getElementById(`${named}-h`)?.focus()
  }, [named])
  return (
    <main id="main" class="settings-screen" data-show="content">
      <Sections />
      <Pane kind="content">
        <header class="bar">
          <h1>Settings</h1>
          <small>{session.value?.workspace.name}</small>
          <span class="grow" />
          <a href="/docs/guide" target="_blank" rel="noopener">
            Guide
          </a>
          <SectionChoice />
        </header>
        <Section key={name} />
      </Pane>
    </main>
  )
}
