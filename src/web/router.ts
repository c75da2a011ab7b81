import { computed, signal } from '@preact/signals'

const ROOT = '/app'

const here = () => new URL(location.href)

const url = signal(here())

/**
 * The decoded segments of the path after `/app`: `/app/notes/5` is `['notes', '5']`. An undecodable path matches no
 * screen.
 */
export const path = computed<readonly string[]>(() => {
  const parts = url.value.pathname.slice(ROOT.length).split('/').filter(Boolean)
  try {
    return parts.map(decodeURIComponent)
  } catch {
    return ['']
  }
})

export const search = computed(() => url.value.searchParams)

export const hash = computed(() => url.value.hash.slice(1))

/** The address of a screen: `address(['notes', id])` is `/app/notes/<id>`. Empty parameters are omitted. */
export function address(
  parts: readonly string[],
  parameters: Record<string, string | undefined> = {},
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') query.set(name, value)
  const text = query.toString()
  return [ROOT, ...parts.map(encodeURIComponent)].join('/') + (text === '' ? '' : `?${text}`)
}

/** Opens an address of the application. With `replace`, the current entry of the browser history is overwritten. */
export function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  if (to === location.pathname + location.search + location.hash) return
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  url.value = here()
}

/** Sets parameters of the current address; empty values remove them. */
export function setParameters(
  parameters: Record<string, string | undefined>,
  options?: { replace?: boolean },
): void {
  const current = Object.fromEntries(url.value.searchParams)
  navigate(address(path.value, { ...current, ...parameters }), options)
}

const isPlain = (event: MouseEvent) =>
  event.button === 0 &&
  !event.metaKey &&
  !event.ctrlKey &&
  !event.shiftKey &&
  !event.altKey &&
  !event.defaultPrevented

/** Makes links within the application change the screen without reloading the page. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    url.value = here()
  })
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest?.('a')
    if (!link || !isPlain(event) || link.target !== '' || link.hasAttribute('download')) return
    // The browser handles links within the page.
    if (link.getAttribute('href')?.startsWith('#')) return
    const to = new URL(link.href)
    if (to.origin !== location.origin || (to.pathname !== ROOT && !to.pathname.startsWith(`${ROOT}/`))) return
    event.preventDefault()
    navigate(to.pathname + to.search + to.hash)
  })
}
