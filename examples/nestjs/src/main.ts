import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { plinth } from '@plinth/hosts/express';
import { MEDIA, MediaModule } from './media.module.js';
import { PagesController } from './pages.controller.js';

@Module({ imports: [MediaModule], controllers: [PagesController] })
class AppModule {}

const nest = await NestFactory.create(AppModule);
// Exit after the log is flushed, which a signal would prevent.
nest.enableShutdownHooks([], { useProcessExit: true });
// Before `listen`, which installs the body parsers: Plinth reads the bodies itself.
nest.use('/ai', plinth(nest.get(MEDIA)));
await nest.listen(process.env.PORT ?? 3000, '127.0.0.1');
console.log(`Listening at ${await nest.getUrl()}`);
