const STREAMED = Symbol('streamed')

/** Marks a response whose body is generated while it is sent. */
export const markStreamed = (response: Response): Response => Object.assign(response, { [STREAMED]: true })

/** Whether the body of a response is generated while it is sent, so that its length is not known in advance. */
export const isStreamed = (response: Response): boolean => STREAMED in response
