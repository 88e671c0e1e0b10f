/** `caseway/client/offline`: a queue of changes that are made without a network. */
export type {
  NewChange,
  OfflineCall,
  OfflineStorage,
  Problem,
  QueuedChange,
  SentChange,
} from './change.ts';
export {
  createOfflineQueue,
  type FlushResult,
  type OfflineQueue,
  type OfflineQueueOptions,
} from './queue.ts';
export { createIndexedDbStorage, createMemoryStorage } from './storage.ts';
