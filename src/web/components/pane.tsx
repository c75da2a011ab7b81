import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/**
 * A screen has content, and optionally a list on the left and a side pane on the right. The `data-show` attribute of
 * `main` names the pane in front: phones show that pane alone, and medium screens show either content or side.
 */
export type PaneKind = 'list' | 'content' | 'side'

interface PaneProps {
  readonly id?: string
  readonly label?: string
  /** Matched against `data-show` of `main` where there is no room for all panes. */
  readonly kind: PaneKind
  readonly children: ComponentChildren
}

/** A part of a screen with its own scroll position. */
export const Pane = ({ id, label, kind, children }: PaneProps) => (
  <section class={`pane ${kind}`} id={id} aria-label={label}>
    {children}
  </section>
)

const DELAY_MS = 200

/** A loading message, shown only after DELAY_MS. */
export function Loading({ label = 'Loading…' }: { label?: string }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p class="list-end" role="status">
      {isShown ? label : ''}
    </p>
  )
}

/** An empty state: what belongs here, and how to begin. */
export const Empty = ({ children }: { children: ComponentChildren }) => <div class="empty">{children}</div>

interface BannerProps {
  readonly kind?: 'warn' | 'bad'
  readonly children: ComponentChildren
}

/** States the situation, then what to do; at most one per pane. */
export const Banner = ({ kind, children }: BannerProps) => (
  <div class={kind ? `banner ${kind}` : 'banner'} role="status">
    {children}
  </div>
)

/** The error of a failed query. */
export const QueryError = ({ error }: { error: Error }) => (
  <Banner kind="bad">
    <p>{error.message}</p>
  </Banner>
)

interface QueryResultProps<Data> {
  readonly query: { readonly data: Data | undefined; readonly error: Error | null }
  readonly children: (data: Data) => ComponentChildren
}

/** The data of a query, a loading message, or its error. Known data stays visible if a refetch fails. */
export const QueryResult = <Data,>({ query: { data, error }, children }: QueryResultProps<Data>) => (
  <>
    {error && <QueryError error={error} />}
    {data === undefined ? !error && <Loading /> : children(data)}
  </>
)
