/* main.c - the ken command: finds the subcommand and hands over. */
#include "ken.h"

#include <stdio.h>

int main(void)
{
    printf("ken %s\n", ken_version());
    return 0;
}
