import { render, type VNode } from 'preact'

/** Shows a dialog outside of every screen until it is answered. `dialog` gets the function that answers. */
export function ask<Answer>(dialog: (answer: (given: Answer) => void) => VNode): Promise<Answer> {
  const place = document.createElement('div')
  document.body.append(place)
  return new Promise((resolve) => {
    const answer = (given: Answer) => {
      render(null, place)
      place.remove()
      resolve(given)
    }
    render(dialog(answer), place)
  })
}
