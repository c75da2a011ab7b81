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

/** The source of an expression in the page: the number of entries in each store of the offline copy. */
export const COUNTS = `new Promise((resolve) => {
  const request = indexedDB.open('daybook-offline')
  request.onupgradeneeded = () => request.transaction.abort()
  request.onerror = () => resolve({})
  request.onsuccess = () => {
    const db = request.result
    const counts = {}
    const transaction = db.transaction([...db.objectStoreNames])
    for (const name of db.objectStoreNames) {
      const counting = transaction.objectStore(name).count()
      counting.onsuccess = () => { counts[name] = counting.result }
    }
    transaction.oncomplete = () => { db.close(); resolve(counts) }
  }
})`

type Counts = Readonly<Record<string, number>>

/** Returns the number of entries in each store of the offline copy. */
export const countsOn = (page: Page): Promise<Counts> => page.evaluate(COUNTS) as Promise<Counts>

/** Waits until the offline copy holds at least these counts and the application itself. */
export const untilStoredOn = (page: Page, wanted: Counts) =>
  page.waitForFunction(
    `(async () => {
      const names = await caches.keys()
      const registration = await navigator.serviceWorker.getRegistration('/app')
      if (!registration?.active || !names.some((name) => name.startsWith('daybook-version'))) return false
      const counts = await ${COUNTS}
      return Object.entries(${JSON.stringify({ about: 1, ...wanted })}).every(([name, least]) => counts[name] >= least)
    })()`,
    { polling: 200 },
  )

/** Waits until the offline copy holds all rows of a table, and the application itself. */
export async function untilTableStoredOn(page: Page, structure: string): Promise<void> {
  await untilStoredOn(page, {})
  await page.waitForFunction(
    `new Promise((resolve) => {
      indexedDB.open('daybook-offline').onsuccess = ({ target: { result: db } }) => {
        const getting = db.transaction('marks').objectStore('marks').getAll()
        getting.onsuccess = () => {
          db.close()
          resolve(getting.result.some((mark) => mark.structure === '${structure}' && mark.since !== undefined))
        }
      }
    })`,
    { polling: 200 },
  )
}

/** Waits until a browser has no pending changes. */
export const nothingPending = (page: Page) =>
  page.waitForFunction(`${COUNTS}.then(({ queue }) => queue === 0)`, { polling: 200 })

/** The source of an expression in the page: everything that the application stores in the browser, as a text. */
const STORED = `(async () => {
  const found = [JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])]
  for (const { name } of await indexedDB.databases()) {
    const db = await new Promise((resolve) => {
      const request = indexedDB.open(name)
      request.onsuccess = () => resolve(request.result)
    })
    for (const store of db.objectStoreNames)
      for (const method of ['getAllKeys', 'getAll'])
        found.push(await new Promise((resolve) => {
          const got = db.transaction(store).objectStore(store)[method]()
          got.onsuccess = () => resolve(name + ' ' + store + ' ' + JSON.stringify(got.result))
        }))
    db.close()
  }
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const request of await cache.keys())
      found.push(name + ' ' + request.url + (/assets/.test(request.url) ? '' : await (await cache.match(request)).text()))
  }
  return found.join('\\n')
})()`

/** Returns everything that the application stores in a browser: databases, caches, storages and the history's state. */
export const storedOn = (page: Page): Promise<string> => page.evaluate(STORED) as Promise<string>
