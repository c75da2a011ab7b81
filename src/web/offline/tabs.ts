import { TAB } from '../data/tabs.ts'

const lockOf = (tab: string) => `daybook-tab ${tab}`

/** Every tab holds a lock for as long as it is open; where the browser has none, only this tab is known. */
export async function openTabs(): Promise<Set<string>> {
  const held = (await navigator.locks?.query())?.held ?? []
  return new Set([TAB, ...held.map(({ name }) => name?.slice(lockOf('').length) ?? '')])
}

/** The tabs that are watched, of which some may have been closed by now. */
const watched = new Set([TAB])

/** Whether other tabs may be open. */
export const areOthersOpen = (): boolean => watched.size > 1

/** Calls the function whenever another tab has been closed, or has crashed. */
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
  const channel = new BroadcastChannel('daybook-tabs')
  channel.onmessage = ({ data }) => watch(data)
  channel.postMessage(TAB)
  void locks.query().then(({ held = [] }) => {
    for (const { name = '' } of held) if (name.startsWith(lockOf(''))) watch(name.slice(lockOf('').length))
  })
}
