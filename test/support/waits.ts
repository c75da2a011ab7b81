import type { Page } from 'puppeteer-core'
import { until } from './application-server.ts'

/*
 * Named waits for a state of a page. An error in a predicate ends the polling of puppeteer without a word, so an absent
 * element is not an error here: it does not have the state yet.
 */

/** Waits until the first element that matches has exactly this text, without white space around it. */
export const untilTextIs = (page: Page, selector: string, wanted: string) =>
  page.waitForFunction(
    (within, text) => document.querySelector(within)?.textContent?.trim() === text.trim(),
    {},
    selector,
    wanted,
  )

/** Waits until the text of the first element that matches begins so. */
export const untilTextStarts = (page: Page, selector: string, wanted: string) =>
  page.waitForFunction(
    (within, text) => document.querySelector(within)?.textContent?.startsWith(text),
    {},
    selector,
    wanted,
  )

/** Waits until the first element that matches is there without this text. */
export const untilNoTextIn = (page: Page, selector: string, wanted: string) =>
  page.waitForFunction(
    (within, text) => document.querySelector(within)?.textContent?.includes(text) === false,
    {},
    selector,
    wanted,
  )

/** Waits until the elements that match have exactly these texts, in this order. */
export const untilTexts = (page: Page, selector: string, wanted: readonly string[]) =>
  page.waitForFunction(
    (within, texts) => {
      const found = [...document.querySelectorAll(within)].map(({ textContent }) => textContent)
      return JSON.stringify(found) === JSON.stringify(texts)
    },
    {},
    selector,
    wanted,
  )

/** Waits until one of the elements that match contains the text, and returns it. */
export const untilOneHas = (page: Page, selector: string, wanted: string) =>
  page.waitForFunction(
    (within, text) =>
      [...document.querySelectorAll(within)].find(({ textContent }) => textContent?.includes(text)),
    {},
    selector,
    wanted,
  )

/** Waits until one of the elements that match has exactly this text, and returns it. */
export const untilOneIs = (page: Page, selector: string, wanted: string) =>
  page.waitForFunction(
    (within, text) => [...document.querySelectorAll(within)].find(({ textContent }) => textContent === text),
    {},
    selector,
    wanted,
  )

/** Waits until the first field that matches has exactly this value. */
export const untilValue = (page: Page, selector: string, wanted: string) =>
  page.waitForFunction(
    (within, value) => document.querySelector<HTMLInputElement>(within)?.value === value,
    {},
    selector,
    wanted,
  )

/** Waits until the value of the first field that matches begins so. */
export const untilValueStarts = (page: Page, selector: string, wanted: string) =>
  page.waitForFunction(
    (within, value) => document.querySelector<HTMLInputElement>(within)?.value.startsWith(value),
    {},
    selector,
    wanted,
  )

/** Waits until exactly this number of elements matches. */
export const untilCount = (page: Page, selector: string, wanted: number) =>
  page.waitForFunction(
    (within, count) => document.querySelectorAll(within).length === count,
    {},
    selector,
    wanted,
  )

export const untilAtLeast = (page: Page, selector: string, wanted: number) =>
  page.waitForFunction(
    (within, count) => document.querySelectorAll(within).length >= count,
    {},
    selector,
    wanted,
  )

/** Waits until nothing matches. */
export const untilGone = (page: Page, selector: string) =>
  page.waitForFunction((within) => document.querySelector(within) === null, {}, selector)

/** Waits until the first element that matches is visible. */
export const untilVisible = (page: Page, selector: string) =>
  page.waitForFunction((within) => document.querySelector(within)?.checkVisibility(), {}, selector)

/** Waits until the focus is on an element that matches. */
export const untilFocused = (page: Page, selector: string) =>
  page.waitForFunction((within) => document.activeElement?.matches(within), {}, selector)

/** Waits until the focus is on an element that matches, or inside one. */
export const untilFocusIn = (page: Page, selector: string) =>
  page.waitForFunction((within) => Boolean(document.activeElement?.closest(within)), {}, selector)

/** Waits until the address of the page is as wanted. */
export const untilAddress = (page: Page, isWanted: (address: URL) => boolean): Promise<void> =>
  until(async () => isWanted(new URL(page.url())))

/** Waits until a GET of the page has a body as wanted, with the session and the service worker of the page. */
export const untilRead = (
  page: Page,
  path: string,
  // biome-ignore lint/suspicious/noExplicitAny: a body is judged by what the test expects of it
  isWanted: (body: any) => boolean,
): Promise<void> =>
  until(async () => isWanted(await page.evaluate(async (address) => (await fetch(address)).json(), path)))

/** Waits until exactly this number of the elements that match a selector have a text that matches the pattern. */
export const untilCountOf = (page: Page, selector: string, pattern: RegExp, wanted: number) =>
  page.waitForFunction(
    (within, source, count) =>
      [...document.querySelectorAll(within)].filter(({ textContent }) =>
        new RegExp(source).test(textContent ?? ''),
      ).length === count,
    {},
    selector,
    pattern.source,
    wanted,
  )

/** Waits until the offline copy of the browser holds something under this key. */
export const untilKept = (page: Page, store: string, key: string, containing = '') =>
  page.waitForFunction(
    (name, wanted, text) =>
      new Promise<boolean>((resolve) => {
        indexedDB.open('daybook-offline').onsuccess = ({ target }) => {
          const { result: db } = target as IDBOpenDBRequest
          const found = db.transaction(name).objectStore(name).get(wanted)
          found.onsuccess = () => {
            db.close()
            resolve(found.result !== undefined && JSON.stringify(found.result).includes(text))
          }
        }
      }),
    { polling: 200 },
    store,
    key,
    containing,
  )
