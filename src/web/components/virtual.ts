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
  /** Assumed height of a row, in pixels, until it is measured. */
  readonly estimate: number
  readonly scroller: () => HTMLElement | null
  /** Offset of the first row from the start of the scrolled content, in pixels. */
  readonly margin?: number
}

/** Draws only the visible rows of a long list and measures each one (`measureElement`, `data-index`). */
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
