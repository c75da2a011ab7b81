import type { Page } from 'puppeteer-core'

/** Takes a page and the workers of its browser profile offline, or back online. */
export async function setOffline(page: Page, isOffline: boolean): Promise<void> {
  for (const one of await page.browserContext().pages()) await one.setOfflineMode(isOffline)
  for (const target of page.browser().targets()) {
    if (target.type() !== 'service_worker' || target.browserContext() !== page.browserContext()) continue
    const session = await target.createCDPSession()
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', {
      offline: isOffline,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    })
  }
}

type Counts = Readonly<Record<string, number>>

/** Returns the number of entries in each store of the offline copy. */
export const countsOn = (page: Page): Promise<Counts> =>
  page.evaluate(
    () =>
      new Promise<Counts>((resolve) => {
        const request = indexedDB.open('daybook-offline')
        request.onupgradeneeded = () => request.transaction?.abort()
        request.onerror = () => resolve({})
        request.onsuccess = () => {
          const db = request.result
          const counts: Record<string, number> = {}
          const transaction = db.transaction([...db.objectStoreNames])
          for (const name of db.objectStoreNames) {
            const counting = transaction.objectStore(name).count()
            counting.onsuccess = () => {
              counts[name] = counting.result
            }
          }
          transaction.oncomplete = () => {
            db.close()
            resolve(counts)
          }
        }
      }),
  )

const OFTEN = 200

/** Polls in the page's own pace: an evaluation that a navigation cuts off counts as "not yet". */
async function untilOn(page: Page, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + page.getDefaultTimeout()
  while (!(await holds().catch(() => false))) {
    if (Date.now() > end) throw new Error('the offline copy never became as expected')
    await Bun.sleep(OFTEN)
  }
}

const isInstalled = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const names = await caches.keys()
    const registration = await navigator.serviceWorker.getRegistration('/app')
    return Boolean(registration?.active) && names.some((name) => name.startsWith('daybook-version'))
  })

/** Waits until the offline copy holds at least these counts and the application itself. */
export const untilStoredOn = (page: Page, wanted: Counts): Promise<void> =>
  untilOn(page, async () => {
    if (!(await isInstalled(page))) return false
    const counts = await countsOn(page)
    return Object.entries({ about: 1, ...wanted }).every(([name, least]) => (counts[name] ?? -1) >= least)
  })

/** Waits until the offline copy holds all rows of a table, and the application itself. */
export async function untilTableStoredOn(page: Page, structure: string): Promise<void> {
  await untilStoredOn(page, {})
  await untilOn(page, async () =>
    (await entriesOn<{ structure: string; since?: string }>(page, 'marks')).some(
      (mark) => mark.structure === structure && mark.since !== undefined,
    ),
  )
}

/** Returns all entries of a store of the offline copy. */
export const entriesOn = <Entry>(page: Page, store: string): Promise<Entry[]> =>
  page.evaluate(
    (name) =>
      new Promise<Entry[]>((resolve, reject) => {
        const request = indexedDB.open('daybook-offline')
        request.onerror = reject
        request.onsuccess = () => {
          const db = request.result
          const reading = db.transaction(name).objectStore(name).getAll()
          reading.onsuccess = () => {
            db.close()
            resolve(reading.result)
          }
        }
      }),
    store,
  )

/** Waits until a browser has no pending changes. */
export const nothingPending = (page: Page): Promise<void> =>
  untilOn(page, async () => (await countsOn(page)).queue === 0)

/** Returns everything that the application stores in a browser: databases, caches, storages and the history's state. */
export const storedOn = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const found = [JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])]
    for (const { name = '' } of await indexedDB.databases()) {
      const db = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open(name)
        request.onsuccess = () => resolve(request.result)
      })
      for (const store of db.objectStoreNames)
        for (const method of ['getAllKeys', 'getAll'] as const)
          found.push(
            await new Promise((resolve) => {
              const got = db.transaction(store).objectStore(store)[method]()
              got.onsuccess = () => resolve(`${name} ${store} ${JSON.stringify(got.result)}`)
            }),
          )
      db.close()
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) {
        const response = /assets/.test(request.url) ? undefined : await cache.match(request)
        found.push(`${name} ${request.url}${(await response?.text()) ?? ''}`)
      }
    }
    return found.join('\n')
  })
