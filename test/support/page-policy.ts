import type { Page } from 'puppeteer-core'

/** Reports violations of the policy of every document that the page opens as errors of the console. */
export const watchPolicy = (page: Page): Promise<unknown> =>
  page.evaluateOnNewDocument(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      // biome-ignore lint/suspicious/noConsole: the test reads the console of the page
      console.error(`the policy forbids ${violatedDirective} ${blockedURI}`)
    })
  })
