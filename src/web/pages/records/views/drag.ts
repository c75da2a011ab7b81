import '../../../styles/drag.ts'
import type { TargetedPointerEvent } from 'preact'

/** A pointer that moves less far clicks. */
const LEAST_PX = 5

/**
 * Lets a card be dragged with a mouse or a pen onto an element with `data-drop`, whose value `onDrop` gets. Escape puts it
 * back; a finger scrolls. What is dragged is shown under the pointer, and the target is marked.
 */
export function startDrag(event: TargetedPointerEvent<HTMLElement>, onDrop: (target: string) => void): void {
  const card = event.currentTarget
  if (event.button !== 0 || event.pointerType === 'touch') return
  const { left, top, width } = card.getBoundingClientRect()
  const [fromX, fromY] = [event.clientX, event.clientY]
  let lifted: HTMLElement | undefined
  let over: HTMLElement | undefined
  const mark = (next: HTMLElement | undefined) => {
    if (next === over) return
    over?.classList.remove('over')
    over = next
    over?.classList.add('over')
  }
  const move = ({ clientX, clientY }: PointerEvent) => {
    if (!lifted && Math.hypot(clientX - fromX, clientY - fromY) < LEAST_PX) return
    if (!lifted) {
      lifted = card.cloneNode(true) as HTMLElement
      lifted.classList.add('lifted')
      lifted.style.width = `${width}px`
      document.body.append(lifted)
      card.classList.add('moving')
    }
    lifted.style.left = `${left + clientX - fromX}px`
    lifted.style.top = `${top + clientY - fromY}px`
    const target = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-drop]')
    mark(target ?? undefined)
  }
  const end = (isDropped: boolean) => {
    const target = over?.dataset.drop
    mark(undefined)
    card.classList.remove('moving')
    lifted?.remove()
    removeEventListener('pointermove', move)
    removeEventListener('pointerup', drop)
    removeEventListener('pointercancel', putBack)
    removeEventListener('keydown', onKey, true)
    if (lifted) {
      // The click that ends a drag opens nothing.
      addEventListener('click', swallow, { capture: true, once: true })
      setTimeout(() => removeEventListener('click', swallow, true))
    }
    if (isDropped && lifted && target !== undefined) onDrop(target)
  }
  const drop = () => end(true)
  const putBack = () => end(false)
  const onKey = (pressed: KeyboardEvent) => {
    if (pressed.key !== 'Escape') return
    pressed.preventDefault()
    pressed.stopPropagation()
    putBack()
  }
  addEventListener('pointermove', move)
  addEventListener('pointerup', drop)
  addEventListener('pointercancel', putBack)
  addEventListener('keydown', onKey, true)
}

function swallow(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}
