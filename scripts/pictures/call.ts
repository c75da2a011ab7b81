import type { Page } from 'puppeteer-core'

/** Calls the API in the session of a page: with a GET, or with a POST if there is a body. */
// biome-ignore lint/suspicious/noExplicitAny: the API says what it holds
export async function call(page: Page, path: string, body?: object): Promise<any> {
  return page.evaluate(
    async (address, content) => {
      const response = await fetch(address, { ...(content !== null && { method: 'POST', body: content }) })
      if (!response.ok) throw new Error(await response.text())
      return response.json()
    },
    path,
    body === undefined ? null : JSON.stringify(body),
  )
}
