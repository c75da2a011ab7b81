import { useState } from 'preact/hooks'
import { Button } from '../../components/form.tsx'
import { lazy } from '../../components/lazy.tsx'
import type { ShareDialogProps } from './share-dialog.tsx'

const ShareDialog = lazy(async () => (await import('./share-dialog.tsx')).ShareDialog)

interface ShareButtonProps extends Omit<ShareDialogProps, 'onClose'> {
  readonly word: string
}

/** Opens the dialog with the share links to one target. */
export function ShareButton({ word, ...dialog }: ShareButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {word}
      </Button>
      {isOpen && <ShareDialog {...dialog} onClose={() => setOpen(false)} />}
    </>
  )
}
