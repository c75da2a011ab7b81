import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface PaneProps {
  readonly id?: string
  readonly label?: string
  /** `home` is the pane that a phone shows first; `side` opens over the content where there is little room. */
  readonly kind?: 'home' | 'side'
  readonly children: ComponentChildren
}

/** A part of a screen that scrolls by itself. */
export const Pane = ({ id, label, kind, children }: PaneProps) => (
  <section class={kind ? `pane ${kind}` : 'pane'} id={id} aria-label={label}>
    {children}
  </section>
)

const QUICK_MS = 200

/** Says that something is being read, but only once it takes noticeably long. */
export function Loading({ what = 'Loading…' }: { what?: string }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), QUICK_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p class="list-end" role="status">
      {isShown ? what : ''}
    </p>
  )
}

/** What belongs here, and what to do, where there is nothing yet. */
export const Empty = ({ children }: { children: ComponentChildren }) => <div class="empty">{children}</div>

interface BannerProps {
  readonly kind?: 'warn' | 'bad'
  readonly children: ComponentChildren
}

/** Says what is so, then what to do; at most one in a pane. */
export const Banner = ({ kind, children }: BannerProps) => (
  <div class={kind ? `banner ${kind}` : 'banner'} role="status">
    {children}
  </div>
)

/** A response that could not be read: the sentence of the server. */
export const Failed = ({ error }: { error: Error }) => (
  <Banner kind="bad">
    <p>{error.message}</p>
  </Banner>
)

interface KnownProps<Data> {
  readonly query: { readonly data: Data | undefined; readonly error: Error | null }
  readonly children: (data: Data) => ComponentChildren
}

/** What a query has read, while it is read, or why it cannot be; what is there stays when it cannot be read again. */
export const Known = <Data,>({ query: { data, error }, children }: KnownProps<Data>) => (
  <>
    {error && <Failed error={error} />}
    {data === undefined ? !error && <Loading /> : children(data)}
  </>
)
