import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core'
import { useLayoutEffect, useReducer, useState } from 'preact/hooks'

export interface VirtualOptions {
  readonly count: number
  /** The height of a row, in pixels, until it is measured. */
  readonly estimate: number
  readonly scroller: () => HTMLElement | null
  /** How far below the start of the scrolled content the first row begins. */
  readonly margin?: number
}

/** Which rows of a long list are in sight; only those are drawn, and each is measured (`measureElement`, `data-index`). */
export function useVirtual({ count, estimate, scroller, margin = 0 }: VirtualOptions) {
  const [, redraw] = useReducer<number, void>((times) => times + 1, 0)
  const options: VirtualizerOptions<HTMLElement, HTMLElement> = {
    count,
    estimateSize: () => estimate,
    getScrollElement: scroller,
    scrollMargin: margin,
    overscan: 8,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(),
  }
  const [virtualizer] = useState(() => new Virtualizer(options))
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer])
  useLayoutEffect(() => virtualizer._willUpdate())
  return virtualizer
}
