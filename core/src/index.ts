export * from './errors.ts';
export * from './model.ts';
export type * from './ports/clock.ts';
export type * from './ports/image-codec.ts';
export type * from './ports/logger.ts';
export * from './service.ts';
export * from './services.ts';
