import { TAB } from '../data/tabs.ts'

const lockOf = (tab: string) => `daybook-tab ${tab}`

/** Every tab holds a lock for as long as it is open; where the browser has none, only this tab is known. */
export async function openTabs(): Promise<Set<string>> {
  const held = (await navigator.locks?.query())?.held ?? []
  return new Set([TAB, ...held.map(({ name }) => name?.slice(lockOf('').length) ?? '')])
}

/** Calls the function whenever another tab has been closed, or has crashed. */
export function watchTabs(onClosed: () => void): void {
  const { locks } = navigator
  if (!locks) return
  void locks.request(lockOf(TAB), () => new Promise(() => {}))
  const watched = new Set([TAB])
  const watch = (tab: string) => {
    if (watched.has(tab)) return
    watched.add(tab)
    void locks.request(lockOf(tab), { mode: 'shared' }, onClosed)
  }
  const channel = new BroadcastChannel('daybook-tabs')
  channel.onmessage = ({ data }) => watch(data)
  channel.postMessage(TAB)
  void locks.query().then(({ held = [] }) => {
    for (const { name = '' } of held) if (name.startsWith(lockOf(''))) watch(name.slice(lockOf('').length))
  })
}
