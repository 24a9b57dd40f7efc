/**
 * The cancellation of one tool call, carried along its promises: every command sent inside the call obeys its signal
 * without each function handing it on. Work that several calls share (connecting, attaching) and work that must finish
 * (letting a mouse button go) leaves the scope.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

const scope = new AsyncLocalStorage<AbortSignal | undefined>()

/** Runs `work`; commands it sends are refused or abandoned once `signal` aborts. */
export const inCall = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => scope.run(signal, work)

/** Runs `work` outside any call: its commands end by their deadline only. */
export const outsideCall = <T>(work: () => T): T => scope.run(undefined, work)

/** The signal of the call this code runs for, if any. */
export const callSignal = (): AbortSignal | undefined => scope.getStore()
