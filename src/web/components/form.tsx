import { useSignal } from '@preact/signals'
import type { ButtonHTMLAttributes, ComponentChildren, TargetedInputEvent } from 'preact'
import { type Fault, faultIn } from '../data/request.ts'
import { useId } from './use-id.ts'

interface FieldProps {
  readonly name: string
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'date' | 'datetime-local' | 'url'
  /** Makes the field controlled; requires `onInput`. */
  readonly value?: string

  readonly defaultValue?: string
  readonly autocomplete?: 'username' | 'username webauthn' | 'current-password' | 'new-password' | 'off'
  readonly required?: boolean
  readonly autofocus?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly onInput?: (event: TargetedInputEvent<HTMLInputElement>) => void
  readonly label: string
  /** The server's refusal of this field. */
  readonly error?: string | undefined
}

/** A labelled field with its error below. */
export function Field({ label, error, ...input }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...(input as object)}
        class="input"
        id={id}
        aria-invalid={error !== undefined}
        aria-describedby={error && `${id}-why`}
      />
      {error !== undefined && <ErrorText id={`${id}-why`}>{error}</ErrorText>}
    </div>
  )
}

/** An error message, announced when it appears. */
export const ErrorText = ({ id, children }: { id?: string; children: ComponentChildren }) => (
  <p class="why" id={id} role="alert">
    {children}
  </p>
)

/** State of an action: whether it runs, and why it was last refused. A second run is ignored while one is in flight. */
export function useAction<Arguments extends unknown[]>(act: (...args: Arguments) => Promise<unknown>) {
  const isRunning = useSignal(false)
  const refusal = useSignal<string | undefined>(undefined)
  const fault = useSignal<Fault | undefined>(undefined)
  const run = async (...args: Arguments): Promise<boolean> => {
    if (isRunning.peek()) return false
    isRunning.value = true
    refusal.value = undefined
    fault.value = undefined
    try {
      await act(...args)
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
