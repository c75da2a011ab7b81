import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/**
 * A screen has its content, perhaps a list at its left and a side at its right. `main` says in `data-show` which of them
 * is in front: a phone shows that one alone, a screen between has no room for content and side at once.
 */
export type PaneKind = 'list' | 'content' | 'side'

interface PaneProps {
  readonly id?: string
  readonly label?: string
  /** What `data-show` of `main` calls it by where there is no room for all panes. */
  readonly kind: PaneKind
  readonly children: ComponentChildren
}

/** A part of a screen that scrolls by itself. */
export const Pane = ({ id, label, kind, children }: PaneProps) => (
  <section class={`pane ${kind}`} id={id} aria-label={label}>
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
