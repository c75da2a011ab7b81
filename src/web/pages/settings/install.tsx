import { Button } from '../../components/form.tsx'
import { installPrompt } from '../../data/install.ts'

/** Installs the application, if the browser offers it. A browser's prompt works only once. */
export function Install() {
  const offer = installPrompt.value
  if (!offer) return null
  return (
    <Button
      onClick={() => {
        installPrompt.value = undefined
        void offer.prompt()
      }}
    >
      Install daybook on this device
    </Button>
  )
}
