import type { Page } from 'puppeteer-core'

/** Calls the API in the session of a page: with a GET, or with a POST if there is a body. */
// biome-ignore lint/suspicious/noExplicitAny: the API says what it holds
export async function call(page: Page, path: string, body?: object): Promise<any> {
  const init = body && { method: 'POST', body: JSON.stringify(body) }
  const response = `fetch(${JSON.stringify(path)}, ${JSON.stringify(init ?? {})})`
  return page.evaluate(
    `${response}.then(async (one) => one.ok ? one.json() : Promise.reject(new Error(await one.text())))`,
  )
}
