import { useLayoutEffect, useRef } from 'preact/hooks'
import { drawFormula } from './draw-formula.ts'

/** A formula in the preview. */
export function Formula({ text, isDisplay }: { text: string; isDisplay: boolean }) {
  const element = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (element.current) drawFormula(element.current, text, isDisplay)
  }, [text, isDisplay])
  return <span ref={element} class={isDisplay ? 'math display' : 'math'} />
}
