import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from './form.tsx'
import { Banner, Loading } from './pane.tsx'

/** A part of the application that could not be loaded, as the server is away or has a newer one. */
export const NotLoaded = () => (
  <Banner kind="bad">
    <p>This part of the application could not be loaded.</p>
    <Button onClick={() => location.reload()}>Load the page again</Button>
  </Banner>
)

/** A component whose code is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let known: ComponentType<Props> | undefined
  return (props: Props) => {
    const [Loaded, setLoaded] = useState(() => known)
    const [isFailed, setFailed] = useState(false)
    useEffect(() => {
      // Another one may have loaded it since this one was first drawn.
      let isCurrent = true
      load().then(
        (loaded) => {
          known = loaded
          if (isCurrent) setLoaded(() => loaded)
        },
        () => isCurrent && setFailed(true),
      )
      return () => {
        isCurrent = false
      }
    }, [])
    if (isFailed) return <NotLoaded />
    return Loaded ? <Loaded {...props} /> : <Loading />
  }
}
