import type { Page } from 'puppeteer-core'

/** What the API answers to the person who is signed in on a page: to a GET, or to a POST if there is a body. */
// biome-ignore lint/suspicious/noExplicitAny: the API says what it holds
export async function call(page: Page, path: string, body?: object): Promise<any> {
  const init = body && { method: 'POST', body: JSON.stringify(body) }
  const response = `fetch(${JSON.stringify(path)}, ${JSON.stringify(init ?? {})})`
  return page.evaluate(
    `${response}.then(async (one) => one.ok ? one.json() : Promise.reject(new Error(await one.text())))`,
  )
}
