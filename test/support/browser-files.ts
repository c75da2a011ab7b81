import type { Page } from 'puppeteer-core'
import type { Application } from './application-server.ts'

/** Does something that begins a download; returns once the whole file is in the folder. */
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

/** A file as a page is given it. */
export interface GivenFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

const dataTransfer = (files: readonly GivenFile[]) => `(() => {
  const given = ${JSON.stringify(files.map(({ name, type, bytes }) => [name, type, Buffer.from(bytes).toString('base64')]))}
  const transfer = new DataTransfer()
  for (const [name, type, base64] of given) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    transfer.items.add(new File([bytes], name, { type }))
  }
  return transfer
})()`

/** Pastes files where the focus is; returns whether the page took them, so that the browser does nothing with them. */
export const pasteFiles = async (page: Page, files: readonly GivenFile[]): Promise<boolean> =>
  (await page.evaluate(
    `!document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: ${dataTransfer(files)}, bubbles: true, cancelable: true }))`,
  )) === true

/** Drags files over a place of the page and drops them there; returns whether the page took them. */
export const dropFiles = async (
  page: Page,
  { x, y }: { x: number; y: number },
  files: readonly GivenFile[],
): Promise<boolean> =>
  (await page.evaluate(`(() => {
    const place = { clientX: ${x}, clientY: ${y} }
    const target = document.elementFromPoint(${x}, ${y})
    const dataTransfer = ${dataTransfer(files)}
    const send = (type) =>
      target.dispatchEvent(new DragEvent(type, { dataTransfer, ...place, bubbles: true, cancelable: true }))
    send('dragenter')
    const isOver = !send('dragover')
    return isOver && !send('drop')
  })()`)) === true
