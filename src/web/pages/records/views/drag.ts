import '../../../styles/drag.ts'
import type { TargetedPointerEvent } from 'preact'

/** A shorter movement is a click. */
const MIN_DRAG_PX = 5

/**
 * Starts dragging a card with a mouse or pen onto an element with `data-drop` in the same list of the rail or the same
 * screen; `onDrop` receives its value. Escape cancels the drag. Touch scrolls instead.
 */
export function startDrag(event: TargetedPointerEvent<HTMLElement>, onDrop: (target: string) => void): void {
  const card = event.currentTarget
  if (event.button !== 0 || event.pointerType === 'touch') return
  const area = card.closest('.rail-sub, main')
  const { left, top, width } = card.getBoundingClientRect()
  const [fromX, fromY] = [event.clientX, event.clientY]
  let ghost: HTMLElement | undefined
  let over: HTMLElement | undefined
  const mark = (next: HTMLElement | undefined) => {
    if (next === over) return
    over?.classList.remove('over')
    over = next
    over?.classList.add('over')
  }
  const move = ({ clientX, clientY }: PointerEvent) => {
    if (!ghost && Math.hypot(clientX - fromX, clientY - fromY) < MIN_DRAG_PX) return
    if (!ghost) {
      ghost = card.cloneNode(true) as HTMLElement
      ghost.classList.add('lifted')
      ghost.style.width = `${width}px`
      document.body.append(ghost)
      card.classList.add('moving')
    }
    ghost.style.left = `${left + clientX - fromX}px`
    ghost.style.top = `${top + clientY - fromY}px`
    const target = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-drop]')
    mark(target && area?.contains(target) ? target : undefined)
  }
  const end = (isDropped: boolean) => {
    const target = over?.dataset.drop
    mark(undefined)
    card.classList.remove('moving')
    ghost?.remove()
    removeEventListener('pointermove', move)
    removeEventListener('pointerup', drop)
    removeEventListener('pointercancel', cancel)
    removeEventListener('keydown', onKey, true)
    if (ghost) {
      // Suppress the click that ends a drag.
      addEventListener('click', suppress, { capture: true, once: true })
      setTimeout(() => removeEventListener('click', suppress, true))
    }
    if (isDropped && ghost && target !== undefined) onDrop(target)
  }
  const drop = () => end(true)
  const cancel = () => end(false)
  const onKey = (pressed: KeyboardEvent) => {
    if (pressed.key !== 'Escape') return
    pressed.preventDefault()
    pressed.stopPropagation()
    cancel()
  }
  addEventListener('pointermove', move)
  addEventListener('pointerup', drop)
  addEventListener('pointercancel', cancel)
  addEventListener('keydown', onKey, true)
}

function suppress(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}
