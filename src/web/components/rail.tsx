import type { ComponentChildren } from 'preact'
import { mayWrite, session } from '../data/session.ts'
import { address, path } from '../router.ts'
import { openFinder } from './dialogs.ts'
import { ErrorText, useAction } from './form.tsx'
import { Icon, type IconName } from './icon.tsx'
import { goToWorkspace, leave } from './leaving.ts'
import { ServerState } from './status-lines.tsx'

interface NavItem {
  /** Path segments, joined by "/". */
  readonly name: string
  readonly title: string
  readonly icon: IconName
  /** Phones show it under "More". */
  readonly isUnderMore?: boolean
}

export const NAV_ITEMS: readonly NavItem[] = [
  { name: 'notes/today', title: 'Today', icon: 'calendar' },
  { name: 'inbox', title: 'Inbox', icon: 'inbox', isUnderMore: true },
  { name: 'notes', title: 'Notes', icon: 'notes' },
  { name: 'records', title: 'Tables', icon: 'table' },
  { name: 'webhooks', title: 'Webhooks', icon: 'hook', isUnderMore: true },
  { name: 'files', title: 'Files', icon: 'file', isUnderMore: true },
  { name: 'graph', title: 'Graph', icon: 'graph', isUnderMore: true },
  { name: 'changes', title: 'Changes', icon: 'clock' },
  { name: 'settings', title: 'Settings', icon: 'gear', isUnderMore: true },
]

export const navAddress = ({ name }: Pick<NavItem, 'name'>): string => address(name.split('/'))

const current = () => path.value[0] ?? 'notes'

/** The navigation of every screen; `children` fill its lower half. */
export function Rail({ children }: { children?: ComponentChildren }) {
  const here = current()
  return (
    <nav class="rail" aria-label="Main">
      <button type="button" class="rail-head" popovertarget="spaces">
        <Icon name="book" />
        <span class="cut">{session.value?.workspace.name}</span>
        <span class="at-end">
          <Icon name="down" />
        </span>
      </button>
      <button type="button" class="rail-find" onClick={openFinder}>
        <Icon name="search" />
        Find
        <span class="at-end">
          <kbd>Ctrl K</kbd>
        </span>
      </button>
      <ul class="rail-nav">
        {NAV_ITEMS.map((item) => (
          <li key={item.name} class={item.isUnderMore ? 'desk' : undefined}>
            <NavLink item={item} here={here} />
          </li>
        ))}
        <li class="phone">
          <button type="button" popovertarget="more">
            <Icon name="more" />
            More
          </button>
        </li>
      </ul>
      {children}
      <ServerLine />
    </nav>
  )
}

const NavLink = ({ item, here }: { item: NavItem; here?: string }) => (
  <a href={navAddress(item)} aria-current={here === item.name ? 'page' : undefined}>
    <Icon name={item.icon} />
    {item.title}
  </a>
)

/** The connection, the user and their role. */
function ServerLine() {
  const name = session.value?.user.name
  const role = session.value?.workspace.role
  return (
    <p class="rail-foot" role="status">
      <ServerState />
      <span class="at-end">
        {name}
        {role !== name && `, ${role}`}
        {!mayWrite.value && ' (read-only)'}
      </span>
    </p>
  )
}

/** Menus of the rail: workspaces, and on phones the items that do not fit its bar. */
export function RailMenus() {
  const { run, refusal } = useAction((act: () => Promise<void>) => act())
  const change = (id: string) => {
    if (id === session.value?.workspace.id) hideSpaces()
    else void run(() => goToWorkspace(id).then(hideSpaces))
  }
  return (
    <>
      <div popover="auto" id="spaces" class="menu">
        {session.value?.workspaces.map(({ id, name }) => (
          <button type="button" key={id} onClick={() => change(id)}>
            <Icon name={id === session.value?.workspace.id ? 'check' : 'book'} />
            {name}
          </button>
        ))}
        <a href={address(['settings', 'workspaces'])}>
          <Icon name="plus" />
          New workspace
        </a>
        <button type="button" onClick={() => void run(leave)}>
          <Icon name="back" />
          Sign out
        </button>
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      </div>
      <div popover="auto" id="more" class="menu">
        <button type="button" onClick={openFinder}>
          <Icon name="search" />
          Find
        </button>
        {NAV_ITEMS.filter(({ isUnderMore }) => isUnderMore).map((item) => (
          <NavLink key={item.name} item={item} />
        ))}
        <a href={address(['views'])}>
          <Icon name="side" />
          Views, tags, properties
        </a>
        <button type="button" popovertarget="spaces">
          <Icon name="book" />
          {session.value?.workspace.name}
        </button>
      </div>
    </>
  )
}

const hideSpaces = () => document.getElementById('spaces')?.hidePopover()
