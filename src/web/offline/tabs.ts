import { TAB } from '../data/tabs.ts'
import { onTabMessage, postToTabs } from './tab-messages.ts'

const lockOf = (tab: string) => `daybook-tab ${tab}`

/** The IDs of the open tabs, each of which holds a lock. Without support for locks, only this tab is known. */
export async function openTabs(): Promise<Set<string>> {
  const held = (await navigator.locks?.query())?.held ?? []
  return new Set([TAB, ...held.map(({ name }) => name?.slice(lockOf('').length) ?? '')])
}

/** The watched tabs, some of which may have been closed since. */
const watched = new Set([TAB])

/** Whether other tabs may be open. */
export const areOthersOpen = (): boolean => watched.size > 1

/** Calls the function after another tab was closed or crashed. */
export function watchTabs(onClosed: () => void): void {
  const { locks } = navigator
  if (!locks) return
  void locks.request(lockOf(TAB), () => new Promise(() => {}))
  const watch = (tab: string) => {
    if (watched.has(tab)) return
    watched.add(tab)
    void locks.request(lockOf(tab), { mode: 'shared' }, () => {
      watched.delete(tab)
      onClosed()
    })
  }
  onTabMessage('opened', watch)
  postToTabs('opened', TAB)
  void locks.query().then(({ held = [] }) => {
    for (const { name = '' } of held) if (name.startsWith(lockOf(''))) watch(name.slice(lockOf('').length))
  })
}
