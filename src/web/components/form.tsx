import { useSignal } from '@preact/signals'
import type { ButtonHTMLAttributes, ComponentChildren, TargetedInputEvent } from 'preact'
import { useId } from 'preact/hooks'
import { type Fault, faultIn } from '../data/request.ts'

interface FieldProps {
  readonly name: string
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'date' | 'datetime-local' | 'url'
  /** What is in the field whatever is typed; goes with `onInput`. */
  readonly value?: string
  /** What is in the field at first. */
  readonly defaultValue?: string
  readonly autocomplete?: 'username' | 'username webauthn' | 'current-password' | 'new-password' | 'off'
  readonly required?: boolean
  readonly autofocus?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly onInput?: (event: TargetedInputEvent<HTMLInputElement>) => void
  readonly label: string
  /** Why the server refused what is in the field. */
  readonly why?: string | undefined
}

/** A field with its label, and under it the sentence that refused it. */
export function Field({ label, why, ...input }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...(input as object)}
        class="input"
        id={id}
        aria-invalid={why !== undefined}
        aria-describedby={why && `${id}-why`}
      />
      {why !== undefined && <Why id={`${id}-why`}>{why}</Why>}
    </div>
  )
}

/** The sentence of a refusal; it is read out when it appears. */
export const Why = ({ id, children }: { id?: string; children: ComponentChildren }) => (
  <p class="why" id={id} role="alert">
    {children}
  </p>
)

/** What goes on with an action: while it runs its button waits, and what refused it is shown beside it. */
export function useAction<Arguments extends unknown[]>(act: (...given: Arguments) => Promise<unknown>) {
  const isRunning = useSignal(false)
  const refusal = useSignal<string | undefined>(undefined)
  const fault = useSignal<Fault | undefined>(undefined)
  const run = async (...given: Arguments): Promise<boolean> => {
    if (isRunning.peek()) return false
    isRunning.value = true
    refusal.value = undefined
    fault.value = undefined
    try {
      await act(...given)
      return true
    } catch (error) {
      refusal.value = (error as Error).message
      fault.value = faultIn(error)
      return false
    } finally {
      isRunning.value = false
    }
  }
  return { run, isRunning, refusal, fault }
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'main' | 'quiet' | 'danger' | 'quiet icon-only'
}

export const Button = ({ kind, type = 'button', ...rest }: ButtonProps) => (
  <button {...rest} type={type} class={kind ? `button ${kind}` : 'button'} />
)
