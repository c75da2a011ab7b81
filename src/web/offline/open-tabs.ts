/*
 * Tabs of an earlier version, whose drafts belong to their tab. Each holds a lock while it is open. Entries of this version
 * belong to no tab.
 */

const LOCK = 'daybook-tab '

const watched = new Set<string>()
let notifyClosed = () => {}

/** The IDs of the open tabs of an earlier version. */
export async function openTabs(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {}
  const tabs = held.flatMap(({ name = '' }) => (name.startsWith(LOCK) ? [name.slice(LOCK.length)] : []))
  for (const tab of tabs) watch(tab)
  return new Set(tabs)
}

function watch(tab: string): void {
  if (watched.has(tab)) return
  watched.add(tab)
  void navigator.locks.request(LOCK + tab, { mode: 'shared' }, () => {
    watched.delete(tab)
    notifyClosed()
  })
}

/** Sets the listener for tabs of an earlier version that were closed or crashed. */
export function onTabClosed(listener: () => void): void {
  notifyClosed = listener
}
