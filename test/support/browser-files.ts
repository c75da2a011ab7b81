import type { Page } from 'puppeteer-core'
import type { Application } from './application-server.ts'

/** Runs an action that starts a download; returns once the whole file is in the folder. */
export async function download(
  app: Application,
  { page, folder, act }: { page: Page; folder: string; act: () => Promise<unknown> },
): Promise<void> {
  const client = await app.browser.target().createCDPSession()
  await client.send('Browser.setDownloadBehavior', {
    behavior: 'allow',
    browserContextId: page.browserContext().id ?? '',
    downloadPath: folder,
    eventsEnabled: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  client.on('Browser.downloadProgress', ({ state }) => {
    if (state === 'completed') resolve()
    if (state === 'canceled') reject(new Error('the download was broken off'))
  })
  await act()
  await promise
  await client.detach()
}

/** Drags files from outside the browser over an element of the page and drops them there. */
export async function dropFiles(
  page: Page,
  { x, y }: { x: number; y: number },
  paths: readonly string[],
): Promise<void> {
  const client = await page.createCDPSession()
  const data = { items: [], files: [...paths], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await client.send('Input.dispatchDragEvent', { type, x, y, data })
  await client.detach()
}
